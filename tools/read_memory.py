#!/usr/bin/env python3
"""Reads a memory file: python3 tools/read_memory.py FILE [--json]

Prints every stored vector with its key, layer and tokens, and the stored key that is nearest to its own by cosine.
Checks the Merkle root of the entries. Needs numpy and the standard library. docs/memory-file.md documents the format.
"""

import hashlib
import json
import re
import sys
import zipfile

import numpy as np

DTYPES = {"F32": "<f4", "F16": "<f2", "I8": "i1"}


def sha256(data):
    return hashlib.sha256(data).digest()


def tensors(data):
    """The matrices of a safetensors file as float32; an I8 matrix has one scale per row in NAME.scales."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    read = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        found = np.frombuffer(data[8 + size + begin : 8 + size + end], DTYPES[info["dtype"]])
        read[name] = found.astype(np.float32).reshape(info["shape"])
    scaled = {name for name in read if name + ".scales" in read}
    return {name: read[name] * read[name + ".scales"][:, None] if name in scaled else read[name] for name in read}


def leaf(entry, digest, key, residual):
    fields = ["id", "documentId", "anchor", "index", "offset", "part", "start", "layer", "tokens"]
    record = [entry.get("nonce", ""), *(entry[name] for name in fields), entry["report"]["exact"], digest]
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    text = re.sub("[\ud800-\udfff]", lambda one: "\\u%04x" % ord(one[0]), text)
    return sha256(b"\0" + text.encode() + key.tobytes() + residual.tobytes())


def root(leaves):
    level = sorted(leaves) or [sha256(b"")]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [sha256(b"\1" + pair[0] + pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0].hex()


def read_memory(path):
    """The manifest, and the entries in the order of the memory with their vectors `key` and `residual`."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files["manifest.json"])
    for name, expected in manifest["files"].items():
        if hashlib.sha256(files[name]).hexdigest() != expected["sha256"]:
            raise SystemExit(f"{path}: {name} does not match its checksum; use another copy of the file")
    routing = [json.loads(line) for line in files["routing.jsonl"].split(b"\n") if line]
    digests = {fact["id"]: fact["digest"] for document in routing for fact in document["facts"]}
    entries = []
    for name in sorted(files):
        if not name.startswith("facts/"):
            continue
        vectors = tensors(files[name.replace("facts/", "vectors/").replace(".jsonl", ".safetensors")])
        for i, line in enumerate(line for line in files[name].split(b"\n") if line):
            entries.append({**json.loads(line), "key": vectors["keys"][i], "residual": vectors["residuals"][i]})
    found = root(leaf(one, digests.get(one["id"], ""), one["key"], one["residual"]) for one in entries)
    if found != manifest["root"]:
        raise SystemExit(f"{path}: the entries have the root {found}, the manifest gives {manifest['root']}")
    return manifest, sorted(entries, key=lambda entry: (entry["place"], entry["start"]))


def nearest(entries):
    """For every entry the other entry of its layer with the nearest key, and the cosine of both keys."""
    found = [(None, None)] * len(entries)
    for layer in {entry["layer"] for entry in entries}:
        own = [i for i, entry in enumerate(entries) if entry["layer"] == layer]
        keys = np.array([entries[i]["key"] for i in own], np.float64)
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
        for row, i in enumerate(own):
            cosines = keys @ keys[row]
            cosines[row] = -2
            if len(own) > 1:
                best = int(cosines.argmax())
                found[i] = (own[best], float(cosines[best]))
    return found


def name_of(entry):
    part = f".{entry['part']}" if entry["part"] > 1 else ""
    return f"{entry['anchor']} ({entry['index']}{part})"


def main():
    arguments = [one for one in sys.argv[1:] if one != "--json"]
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    manifest, entries = read_memory(arguments[0])
    model = manifest["memory"]["model"]
    rows = [
        {
            "key": name_of(entry),
            "layer": entry["layer"],
            "tokens": entry["tokens"],
            "exact": entry["report"]["exact"],
            "nearest": None if other is None else name_of(entries[other]),
            "cosine": cosine,
        }
        for entry, (other, cosine) in zip(entries, nearest(entries))
    ]
    if "--json" in sys.argv:
        print(json.dumps({"root": manifest["root"], "model": model["name"], "entries": rows}))
        return
    print(f"{len(rows)} vectors of {len({entry['id'] for entry in entries})} facts, made with {model['name']}")
    print("Merkle root:", manifest["root"])
    for row in rows:
        near = "" if row["nearest"] is None else f"  nearest {row['nearest']}, cosine {row['cosine']:.5f}"
        exact = "" if row["exact"] else "  inexact"
        print(f"{row['key']}  layer {row['layer']}  {row['tokens']} tokens{exact}{near}")


if __name__ == "__main__":
    main()
