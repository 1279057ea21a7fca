"""The file of a query encoder's heads, `head.safetensors`, which `src/query/head.rs` reads."""

import json

import numpy as np

from distill_embedding import TABLES

FORMAT = "platform-query-head-1"


def digest(*parts):
    """FNV-1a on little-endian words of eight bytes, the last of each part filled up with zeros; 16 hexadecimal digits."""
    value = 0xCBF29CE484222325
    for part in parts:
        for word in np.frombuffer(part + b"\0" * (-len(part) % 8), "<u8").tolist():
            value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def model_digest(weights, tokenizer):
    """Stands for a model: the bytes of `model.safetensors`, and the pieces that `tokenizer.json` has."""
    vocabulary = json.loads(tokenizer)["model"]["vocab"]
    return digest(weights, "\n".join(sorted(vocabulary, key=vocabulary.get)).encode())


def table_digest():
    """Stands for the table of the server: its vectors of tokens, then those of phrases."""
    return digest(*((TABLES / kind / "table.safetensors").read_bytes() for kind in ("tokens", "phrases")))


def write_head(path, heads, model, table):
    """Writes int8 rows and their scales, by name, fitted to a model and a table with these digests."""
    header, data = {"__metadata__": {"format": FORMAT, "model": model, "table": table}}, b""
    for name, (rows, scales) in heads.items():
        for part, kind, values in (("rows", "I8", rows.astype(np.int8)), ("scales", "F32", scales.astype("<f4"))):
            offsets = [len(data), len(data) + values.nbytes]
            header[f"{name}.{part}"] = {"dtype": kind, "shape": values.shape, "data_offsets": offsets}
            data += values.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
