-- The tables of the ledger, in format 1, and the functions that change them. A function is one statement for its caller,
-- so a caller that gives up leaves all of a change or nothing. The time is always a parameter.

-- What this schema is. The name tells it from the tables of other programs.
CREATE TABLE platform_server_stub (
    -- There is one row.
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    format integer NOT NULL,
    -- Identifies the data that it was created with.
    data text NOT NULL
);

-- The number of the last claim. A reset does not turn it back.
CREATE SEQUENCE ticket;

-- Pipelines that have items.
CREATE TABLE pipeline (
    pipeline_id bigint PRIMARY KEY,
    items bigint NOT NULL
);

CREATE TABLE item (
    pipeline_item_id bigint PRIMARY KEY CHECK (pipeline_item_id BETWEEN 1 AND 9007199254740991),
    pipeline_id bigint NOT NULL,
    entity_type text NOT NULL,
    organization_id bigint,
    person_id bigint,
    document_id bigint,
    -- json keeps numbers as they are written; jsonb does not.
    column_values json NOT NULL,
    document_indexed boolean NOT NULL,
    platform_entity_data_ready boolean NOT NULL
);
CREATE UNIQUE INDEX item_of_pipeline ON item (pipeline_id, pipeline_item_id);
-- Persons and documents of one organization may share a pipeline.
CREATE UNIQUE INDEX organization_of_pipeline ON item (pipeline_id, organization_id) WHERE entity_type = 'organization';

-- The first value of each answer, in a form whose order as bytes is the order of the contract (D15).
CREATE TABLE answer (
    pipeline_item_id bigint NOT NULL,
    question_id bigint NOT NULL,
    pipeline_id bigint NOT NULL,
    sort_key bytea NOT NULL,
    -- What is left of a text that is longer than an index can hold.
    sort_rest bytea NOT NULL,
    PRIMARY KEY (pipeline_item_id, question_id)
);
CREATE INDEX answer_in_order ON answer (pipeline_id, question_id, sort_key, pipeline_item_id);
CREATE INDEX long_answer ON answer (pipeline_id, question_id) WHERE sort_rest <> '';

-- The changes that are left for an item, in order. Three lists instead of rows of a table: an item's work is claimed and
-- completed as a whole, and lists are shorter than rows.
CREATE TABLE work (
    pipeline_item_id bigint PRIMARY KEY,
    -- When the first change can be claimed: when it is due, or when the lease of its claim ends. In two columns, because
    -- timestamptz has no nanoseconds.
    free_second bigint NOT NULL,
    free_nanosecond integer NOT NULL,
    -- The claim that holds the first change, or held it last.
    ticket bigint,
    due_seconds bigint[] NOT NULL,
    due_nanoseconds integer[] NOT NULL,
    changes json[] NOT NULL
);
CREATE INDEX work_in_order ON work (free_second, free_nanosecond, pipeline_item_id);

-- The requests of each key in its window. Not logged: after a crash of the database every key has its whole quota.
CREATE UNLOGGED TABLE quota (
    key_name text PRIMARY KEY,
    end_second bigint NOT NULL,
    end_nanosecond integer NOT NULL,
    used bigint NOT NULL
);

-- The least id from `first` on that no item has; NULL if there is none.
CREATE FUNCTION free_item_id(first bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    free bigint := first;
BEGIN
    IF EXISTS (SELECT FROM item WHERE pipeline_item_id = first) THEN
        SELECT pipeline_item_id + 1 INTO free
        FROM item AS taken
        WHERE pipeline_item_id >= first
            AND NOT EXISTS (SELECT FROM item WHERE pipeline_item_id = taken.pipeline_item_id + 1)
        ORDER BY pipeline_item_id
        LIMIT 1;
    END IF;
    RETURN CASE WHEN free <= 9007199254740991 THEN free END;
END $$;

-- Enters the answers of an item, and removes all others of it.
CREATE FUNCTION put_answers(
    of_item bigint, of_pipeline bigint, questions bigint[], keys bytea[], rests bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM answer WHERE pipeline_item_id = of_item AND question_id <> ALL (questions);
    INSERT INTO answer (pipeline_item_id, question_id, pipeline_id, sort_key, sort_rest)
    SELECT of_item, question, of_pipeline, key, rest
    FROM unnest(questions, keys, rests) AS given (question, key, rest)
    ON CONFLICT (pipeline_item_id, question_id)
        DO UPDATE SET sort_key = excluded.sort_key, sort_rest = excluded.sort_rest
        WHERE (answer.sort_key, answer.sort_rest) <> (excluded.sort_key, excluded.sort_rest);
END $$;

-- Adds an organization to a pipeline. Returns the id of its item, and whether it is new; the id is NULL if none is left.
CREATE FUNCTION add_item(
    to_pipeline bigint, organization bigint, initial json, entity_data_ready boolean,
    questions bigint[], keys bytea[], rests bytea[],
    seconds bigint[], nanoseconds integer[], plan json[],
    OUT id bigint, OUT is_new boolean
) LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    -- One addition at a time, because each takes the id after the last. Every statement below sees what those before
    -- have committed.
    PERFORM FROM platform_server_stub FOR UPDATE;
    is_new := false;
    SELECT pipeline_item_id INTO id FROM item
    WHERE pipeline_id = to_pipeline AND organization_id = organization AND entity_type = 'organization';
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT max(pipeline_item_id) INTO last FROM item WHERE pipeline_id = to_pipeline;
    IF last IS NULL THEN
        SELECT max(pipeline_item_id) INTO last FROM item;
    END IF;
    id := coalesce(free_item_id(coalesce(last, 0) + 1), free_item_id(1));
    IF id IS NULL THEN
        RETURN;
    END IF;
    is_new := true;
    INSERT INTO item (
        pipeline_item_id, pipeline_id, entity_type, organization_id,
        column_values, document_indexed, platform_entity_data_ready
    ) VALUES (id, to_pipeline, 'organization', organization, initial, true, entity_data_ready);
    INSERT INTO pipeline AS here (pipeline_id, items) VALUES (to_pipeline, 1)
        ON CONFLICT (pipeline_id) DO UPDATE SET items = here.items + 1;
    PERFORM put_answers(id, to_pipeline, questions, keys, rests);
    IF cardinality(plan) > 0 THEN
        INSERT INTO work (pipeline_item_id, free_second, free_nanosecond, due_seconds, due_nanoseconds, changes)
        VALUES (id, seconds[1], nanoseconds[1], seconds, nanoseconds, plan);
    END IF;
END $$;

-- Removes the first change of an item's work and replaces the item, unless the claim no longer holds the change.
CREATE FUNCTION complete_change(
    of_item bigint, held_by bigint, after json, indexed boolean, entity_data_ready boolean,
    questions bigint[], keys bytea[], rests bytea[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    of_pipeline bigint;
BEGIN
    DELETE FROM work WHERE pipeline_item_id = of_item AND ticket = held_by AND cardinality(changes) = 1;
    IF NOT FOUND THEN
        UPDATE work SET
            free_second = due_seconds[2],
            free_nanosecond = due_nanoseconds[2],
            ticket = NULL,
            due_seconds = due_seconds[2:],
            due_nanoseconds = due_nanoseconds[2:],
            changes = changes[2:]
        WHERE pipeline_item_id = of_item AND ticket = held_by;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    UPDATE item SET column_values = after, document_indexed = indexed, platform_entity_data_ready = entity_data_ready
    WHERE pipeline_item_id = of_item
    RETURNING pipeline_id INTO of_pipeline;
    PERFORM put_answers(of_item, of_pipeline, questions, keys, rests);
    RETURN true;
END $$;

-- The ids of one page of a pipeline's items, sorted by the answers to a question. Items without an answer come last in
-- both directions, ties by ascending id. STABLE, so that all of it is of one moment.
CREATE FUNCTION sorted_page(
    of_pipeline bigint, of_question bigint, is_descending boolean, skipped bigint, at_most bigint
) RETURNS bigint[] STABLE LANGUAGE plpgsql AS $$
DECLARE
    ids bigint[];
    answered bigint;
BEGIN
    IF is_descending THEN
        ids := ARRAY(
            SELECT pipeline_item_id FROM answer WHERE pipeline_id = of_pipeline AND question_id = of_question
            ORDER BY sort_key DESC, sort_rest DESC, pipeline_item_id OFFSET skipped LIMIT at_most
        );
    ELSIF EXISTS (
        SELECT FROM answer WHERE pipeline_id = of_pipeline AND question_id = of_question AND sort_rest <> ''
    ) THEN
        ids := ARRAY(
            SELECT pipeline_item_id FROM answer WHERE pipeline_id = of_pipeline AND question_id = of_question
            ORDER BY sort_key, sort_rest, pipeline_item_id OFFSET skipped LIMIT at_most
        );
    ELSE
        -- The order of the index.
        ids := ARRAY(
            SELECT pipeline_item_id FROM answer WHERE pipeline_id = of_pipeline AND question_id = of_question
            ORDER BY sort_key, pipeline_item_id OFFSET skipped LIMIT at_most
        );
    END IF;
    IF cardinality(ids) < at_most THEN
        SELECT count(*) INTO answered FROM answer WHERE pipeline_id = of_pipeline AND question_id = of_question;
        ids := ids || ARRAY(
            SELECT pipeline_item_id FROM item
            WHERE pipeline_id = of_pipeline AND NOT EXISTS (
                SELECT FROM answer
                WHERE answer.pipeline_item_id = item.pipeline_item_id AND question_id = of_question
            )
            ORDER BY pipeline_item_id
            OFFSET greatest(0, skipped - answered) LIMIT at_most - cardinality(ids)
        );
    END IF;
    RETURN ids;
END $$;
