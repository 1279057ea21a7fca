#!/usr/bin/env python3
"""Writes the tiny model that the tests of the query encoder run: random weights in the layout of all-MiniLM-L6-v2, heads,
and what they make of some texts.

The expected vectors are computed here, in 64-bit floating point and with the exact error function, from the tokens that
Hugging Face's `tokenizers` gives. `reference` below is the whole model; it shares no code with the server. The heads name the digest
of the server's table: run this again after a change of the table.

    pip install numpy scipy tokenizers
    python3 server-stub/embedding/scripts/write_tiny_model.py
"""

import json

import numpy as np
from scipy.special import erf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from distill_embedding import CRATE, DIMENSIONS, quantise
from query_head import model_digest, table_digest, write_head

FOLDER = CRATE / "tests" / "fixtures" / "tiny-model"
WIDTH, WIDE, LAYERS, HEADS, POSITIONS = 32, 36, 2, 4, 24
WINDOW = 256
# Components of a vector that are compared.
CHECKED = 32
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "?", "[", "]"),
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
    *"0123456789日本",
    *("pump", "for", "brewery", "brew", "##eries", "we", "make", "company", "that", "cafe", "##ing", "stra", "##ße"),
]
TEXTS = [
    "pump",
    "Pumps for breweries",
    "Breweries for pumps",
    "We make pumps. Company that brews?",
    "Café, CAFE\u0301, straße",
    "日本 pump \U0001f9ff for",
    "[CLS] pump [SEP]",
    "x" * 101 + " pump",
    # Two windows, then three.
    "We make pumps for a company that makes pumps for breweries, for a brewing company that makes pumps.",
    "q " * 60,
]


def reference(config, tensors, tokens):
    """The mean of the model's last hidden states over all windows, with the length 1."""
    w = {name: values.astype(np.float64) for name, values in tensors.items()}
    room = min(WINDOW, config["max_position_embeddings"]) - 2
    windows = max(1, -(-len(tokens) // room))
    bounds = [len(tokens) * number // windows for number in range(windows + 1)]

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + config["layer_norm_eps"])
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def heads(x):
        return x.reshape(len(x), config["num_attention_heads"], -1).transpose(1, 0, 2)

    states = []
    for begin, end in zip(bounds, bounds[1:]):
        ids = [config["first"], *tokens[begin:end], config["last"]]
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
        x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(config["num_hidden_layers"]):
            layer = f"encoder.layer.{number}."
            q, k, v = (heads(linear(x, f"{layer}attention.self.{name}")) for name in ("query", "key", "value"))
            scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            attended = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(x.shape)
            x = norm(x + linear(attended, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = linear(x, layer + "intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
            x = norm(x + linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        states.append(x)
    mean = np.concatenate(states).mean(0)
    return mean / np.linalg.norm(mean)


def random_tensors(chance):
    """Random weights, large enough that every part of the model shows in the result."""
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    normalizations = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        linear = {
            **{f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")},
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (WIDE, WIDTH),
            "output.dense": (WIDTH, WIDE),
        }
        for name, shape in linear.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
        normalizations += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    tensors = {name: chance.normal(0, 0.3, shape) for name, shape in shapes.items()}
    for name in normalizations:
        tensors[f"{name}.weight"] = chance.normal(1, 0.3, WIDTH)
        tensors[f"{name}.bias"] = chance.normal(0, 0.3, WIDTH)
    return {name: values.astype(np.float32) for name, values in tensors.items()}


def safetensors(tensors):
    """The bytes of a safetensors file of float32 tensors."""
    header, body = {}, b""
    for name, values in sorted(tensors.items()):
        data = values.tobytes()
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def main():
    tokens = {piece: token for token, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(tokens, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
        "hidden_size": WIDTH,
        "intermediate_size": WIDE,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
    }
    chance = np.random.default_rng(15)
    tensors = random_tensors(chance)
    heads = {
        name: quantise(chance.normal(0, 1, (DIMENSIONS, WIDTH)).astype(np.float32)) for name in ("offer", "customers")
    }

    FOLDER.mkdir(parents=True, exist_ok=True)
    weights, tokenizer_file = safetensors(tensors), tokenizer.to_str()
    (FOLDER / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (FOLDER / "tokenizer.json").write_text(tokenizer_file + "\n")
    (FOLDER / "model.safetensors").write_bytes(weights)
    write_head(FOLDER / "head.safetensors", heads, model_digest(weights, tokenizer_file), table_digest())

    expected = []
    ends = {"first": tokens["[CLS]"], "last": tokens["[SEP]"]}
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        meaning = reference({**config, **ends}, tensors, ids)
        it = {"text": text, "tokens": ids, "meaning": [round(float(x), 6) for x in meaning]}
        for name, (rows, scales) in heads.items():
            numbers = (rows * scales[:, None].astype(np.float64)) @ meaning
            it[name] = [int(x) for x in np.rint(numbers / np.abs(numbers).max() * 127)[:CHECKED]]
        expected.append(it)
    lines = ",\n".join(json.dumps(it) for it in expected)
    (FOLDER / "expected.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
