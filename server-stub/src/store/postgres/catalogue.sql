-- What searches need of the records, in format 1. All of it follows from the data, so it is made again when either changes.
-- `vector` stands for the type's name with the schema of the extension.

CREATE TABLE searched (
    format integer NOT NULL,
    data text NOT NULL
);

-- Organizations, and products with the filterable facts of their organizations.
CREATE TABLE searched_organization (
    id bigint PRIMARY KEY,
    -- The whole numbers of a meaning; NULL if it means nothing, which is 1 away from everything. Every sum of products of
    -- such numbers is exact, so the distance is the one of the server to the last bit.
    offer vector(256),
    has_customers boolean NOT NULL,
    customers vector(256),
    -- Of the headquarters, and of all offices.
    country text,
    region text,
    countries text[] NOT NULL,
    regions text[] NOT NULL,
    employee_count bigint,
    founded_year integer,
    funding_stage text,
    -- Days since the first one of the year 1.
    funded_on integer,
    categories text[] NOT NULL
);
CREATE TABLE searched_product (LIKE searched_organization INCLUDING ALL);
