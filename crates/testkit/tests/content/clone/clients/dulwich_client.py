"""Clones and fetches with dulwich; prints a line of JSON for each step."""

import io
import json
import sys

from dulwich import porcelain
from dulwich.repo import Repo

step, url, empty_url, key, folder = sys.argv[1:]
access = {"username": "anyone", "password": key, "errstream": io.BytesIO()}


def count(repository):
    return sum(1 for _ in repository.get_walker(include=[repository.refs[b"refs/remotes/origin/main"]]))


if step == "clone":
    whole = porcelain.clone(url, f"{folder}/whole", **access)
    shallow = porcelain.clone(url, f"{folder}/shallow", depth=1, **access)
    empty = porcelain.clone(empty_url, f"{folder}/empty", **access)
    print(json.dumps({"whole": count(whole), "shallow": count(shallow), "empty": not empty.get_refs()}))
else:
    counts = {}
    for name, depth in [("whole", None), ("shallow", None), ("deeper", 2)]:
        repository = Repo(f"{folder}/{'shallow' if name == 'deeper' else name}")
        porcelain.fetch(repository, "origin", outstream=io.StringIO(), depth=depth, **access)
        counts[name] = count(repository)
    print(json.dumps(counts))
