"""What a page calls the models that it was started with."""

from regard.viewer.launcher import folder_names


def test_folders_of_one_name_are_told_apart_by_their_paths(tmp_path):
    folders = [tmp_path / run / "model" for run in ("en-de", "tuned")] + [tmp_path / run / "step-1" for run in "ab"]
    for folder in folders:
        folder.mkdir(parents=True)
    found = folder_names([str(folder) for folder in folders])
    assert list(found.values()) == ["en-de", "tuned", *(str(folder.resolve()) for folder in folders[2:])]
