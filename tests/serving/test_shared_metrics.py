"""Counts of several processes add up. Also tests: serving/metrics.py."""

import threading

from regard.serving.entries import FolderEntries, MemoryEntries
from regard.serving.metrics import ServiceMetrics
from regard.serving.shared_metrics import SharedMetrics


def counted(requests):
    metrics = ServiceMetrics()
    for seconds in requests:
        metrics.request("/translate", 200, seconds)
        metrics.work("en-de", texts=1, letters=10, tokens=3)
    return metrics


def share(metrics, entries, worker, waiting):
    return SharedMetrics(metrics, lambda: {"waiting_texts": {"en-de": waiting}}, entries, worker)


def test_the_counts_of_all_are_those_of_one_that_did_it_all(tmp_path):
    entries = FolderEntries(tmp_path)
    one = share(counted([0.02, 3.0]), entries, 0, 2)
    other = share(counted([0.3, 99.0]), entries, 1, 5)
    until = threading.Event()
    while len(entries.sizes()) < 2:
        until.wait(0.05)
    alone = share(counted([0.02, 3.0, 0.3, 99.0]), MemoryEntries(), 0, 7)
    assert list(one.lines()) == list(other.lines()) == list(alone.lines())
    assert 'regard_waiting_texts{model="en-de"} 7' in list(one.lines())
    assert one.total()[0].letters["en-de"] == 40
    for shared in (one, other):
        shared.stop()


def test_one_that_takes_the_place_of_another_counts_on(tmp_path):
    entries = FolderEntries(tmp_path)
    gone = share(counted([0.1]), entries, 3, 0)
    gone.stop()
    entries.put(gone.name, gone.content())
    again = share(ServiceMetrics(), entries, 3, 0)
    again.stop()
    again.own.request("/translate", 200, 0.1)
    assert 'regard_requests_total{route="/translate",status="200"} 2' in list(again.lines())
