//! The known values of the open enums match the contract.

use platform_sdk::{EntityType, ExecutionStatus, FundingStage, ProblemCode, SyncStatus, ValueCategory};
use serde_json::Value;

#[test]
fn known_values_are_those_of_the_contract() {
    let contract = crate::contract();
    let schemas = &contract["components"]["schemas"];

    macro_rules! assert_known {
        ($($open_enum:ident: $schema:expr,)+) => {
            // Add new enums of the contract here. `SortOrder` is closed and generated.
            let listed = [$(stringify!($open_enum),)+ "SortOrder"];
            let schemas = schemas.as_object().unwrap().iter();
            let lists = schemas.filter(|(_, schema)| schema.get("enum").is_some());
            let names = lists.map(|(name, _)| name);
            let missing: Vec<&String> = names.filter(|name| !listed.contains(&name.as_str())).collect();
            assert!(missing.is_empty(), "these lists of values are not compared: {missing:?}");
            $(
            let known: Vec<&str> = $open_enum::KNOWN.iter().map($open_enum::as_str).collect();
            let schema: &Value = $schema;
            let stated: Vec<&str> = schema["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(known, stated, "bring {} in sdk/src/types/open_enums.rs up to date", stringify!($open_enum));
            for text in stated {
                assert!(!matches!($open_enum::from(text), $open_enum::Unknown(_)), "{text}");
                assert_eq!($open_enum::from(text), $open_enum::from(text.to_owned()));
            }
        )+};
    }
    assert_known! {
        EntityType: &schemas["EntityType"],
        ExecutionStatus: &schemas["ExecutionStatus"],
        SyncStatus: &schemas["SyncStatus"],
        ValueCategory: &schemas["ValueCategory"],
        FundingStage: &schemas["FundingStage"],
        ProblemCode: &schemas["ProblemCode"],
    }
}

#[test]
fn unknown_value_is_kept_as_it_came() {
    let value: FundingStage = serde_json::from_str(r#""moon\u0073hot""#).unwrap();
    assert!(matches!(&value, FundingStage::Unknown(kept) if kept.as_str() == "moonshot"));
    assert_eq!(serde_json::to_string(&value).unwrap(), r#""moonshot""#);
    assert_eq!(format!("{value:>10}"), "  moonshot");
    assert_eq!(value, FundingStage::from("moonshot"));
}

#[test]
fn value_that_is_not_text_is_rejected() {
    let error = serde_json::from_str::<EntityType>("7").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid type: integer `7`, expected a string at line 1 column 1"
    );
}
