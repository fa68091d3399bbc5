//! Prompts: texts with which a person starts a conversation.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, PromptMessage, Role},
};

use crate::{table::Table, template};

/// The text of an omitted argument.
const NOT_SAID: &str = "not said";

/// The prompt with its arguments filled in.
pub(crate) fn get(
    table: &Table,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let refuse = |message: String| Err(ErrorData::invalid_params(message, None));
    let found = table
        .prompts
        .iter()
        .find(|row| row.prompt.name == request.name);
    let Some(row) = found else {
        return refuse(format!("there is no prompt {}", request.name));
    };
    let given = |name: &str| {
        let value = request.arguments.as_ref()?.get(name)?.as_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    for argument in row.prompt.arguments.iter().flatten() {
        if argument.required == Some(true) && given(&argument.name).is_none() {
            return refuse(format!("the argument {} is required", argument.name));
        }
    }
    let text = template::fill(&row.text, |name| {
        Some(given(name).unwrap_or_else(|| NOT_SAID.to_owned()))
    });
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description.clone_from(&row.prompt.description);
    Ok(result)
}
