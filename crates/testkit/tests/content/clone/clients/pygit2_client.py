"""Clones and fetches with libgit2; prints a line of JSON for each step."""

import json
import sys

import pygit2

step, url, empty_url, key, folder = sys.argv[1:]


class Callbacks(pygit2.RemoteCallbacks):
    def credentials(self, url, username_from_url, allowed_types):
        return pygit2.UserPass("anyone", key)


def count(repository):
    return sum(1 for _ in repository.walk(repository.references["refs/remotes/origin/main"].target))


if step == "clone":
    whole = pygit2.clone_repository(url, f"{folder}/whole", callbacks=Callbacks())
    shallow = pygit2.clone_repository(url, f"{folder}/shallow", callbacks=Callbacks(), depth=1)
    empty = pygit2.clone_repository(empty_url, f"{folder}/empty", callbacks=Callbacks())
    print(json.dumps({"whole": count(whole), "shallow": count(shallow), "empty": empty.is_empty}))
else:
    counts = {}
    for name, depth in [("whole", 0), ("shallow", 0), ("deeper", 2)]:
        repository = pygit2.Repository(f"{folder}/{'shallow' if name == 'deeper' else name}")
        repository.remotes["origin"].fetch(callbacks=Callbacks(), depth=depth)
        counts[name] = count(repository)
    print(json.dumps(counts))
