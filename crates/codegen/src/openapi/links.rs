//! Links: operations that can follow another one, with values of its answer.

use serde_json::{Value, json};

use super::operation;
use crate::{
    model::{Api, Method},
    options::Link,
    route::Route,
    schema::Object,
};

/// The links of an answer, by the id of the operation to which each leads; none if there are none.
pub(super) fn emit(api: &Api, method: &Method) -> Option<Value> {
    let mut links = Object::new();
    for link in &method.rules.links {
        for target in api.methods().filter(|one| link.rpcs.contains(&one.name)) {
            let Some(route) = target.routes.first() else {
                continue;
            };
            let id = operation::id(target, 0);
            let parameters = parameters(link, route);
            let one = json!({ "operationId": id, "parameters": parameters });
            links.insert(id, one);
        }
    }
    (!links.is_empty()).then(|| links.into())
}

/// The variables of a path: the one that the link takes from the answer, and those that both paths have.
fn parameters(link: &Link, route: &Route) -> Object {
    let expression = |field: &str| {
        if field == link.variable {
            format!("$response.body#/{}", link.from)
        } else {
            format!("$request.path.{field}")
        }
    };
    let fields = route.path_fields.iter();
    fields
        .map(|field| (field.clone(), expression(field).into()))
        .collect()
}
