import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    """Small tensors gain nothing from a second thread, and lose much on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
