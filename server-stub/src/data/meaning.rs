//! What the records and questions of a document mean.

use crate::embedding::embed;
use crate::model::organization::Organization;
use crate::model::product::Product;
use crate::model::question::Question;
use crate::model::search::Meaning;

/// What an organization means: its name with its description, and its customer base.
pub(crate) fn of_organization(organization: &Organization) -> Meaning {
    of_texts(
        &organization.name,
        &organization.description,
        organization.customer_base.as_deref(),
    )
}

/// What a product means: its name with its description, and its customer base.
pub(super) fn of_product(product: &Product) -> Meaning {
    of_texts(
        &product.name,
        &product.description,
        product.customer_base.as_deref(),
    )
}

/// Features and categories stay out: looked for with other texts about them, records were found no
/// better with these, and single words such as `tools` drew in what has little to do with them.
fn of_texts(name: &str, description: &str, customer_base: Option<&str>) -> Meaning {
    Meaning {
        offer: embed(&format!("{name}. {description}")),
        customers: customer_base.map(embed),
    }
}

/// Questions that know what the texts of their rules mean.
pub(super) fn of_questions(questions: &[Question]) -> Vec<Question> {
    let mut questions = questions.to_vec();
    for question in &mut questions {
        question.give_meaning(embed);
    }
    questions
}
