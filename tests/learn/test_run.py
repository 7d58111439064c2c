"""Runs from beginning to end, in moments: every kind of recipe, and going on after every kind of end."""


from reference.runs import games, go, networks, rows, tiny


def test_it_runs(tmp_path):
    import time
    t=time.time()
    run = go(tmp_path / "a", tiny(), 3)
    print(time.time()-t)
    t=time.time()
    go(tmp_path / "b", tiny(), 10)
    print(time.time()-t)
    go(tmp_path / "a", None, 10)
    assert networks(tmp_path / "a") == networks(tmp_path / "b")
    assert games(tmp_path / "a") == games(tmp_path / "b")
    assert rows(tmp_path / "a") == list(range(1, 11))
