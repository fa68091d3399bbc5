//! Forms of pages, as browsers send them.

use super::unescaped;

/// The fields of a page's main form as a browser would send them, unchanged.
pub(super) fn fields(html: &str) -> Vec<(String, String)> {
    let (_, form) = html.split_once("id=\"form\"").unwrap();
    fields_of(form.split("</form>").next().unwrap())
}

/// The same for a form.
pub(super) fn fields_of(form: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for tag in form.split('<').skip(1) {
        let value = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            Some(unescaped(rest.split('"').next().unwrap()))
        };
        let Some(name) = value("name") else {
            continue;
        };
        let is_choice = ["checkbox", "radio"]
            .iter()
            .any(|kind| tag.contains(&format!("type=\"{kind}\"")));
        let is_ticked = !is_choice || tag.contains(" checked");
        if tag.starts_with("input") && is_ticked {
            fields.push((name, value("value").unwrap_or_default()));
        } else if tag.starts_with("textarea") {
            let (_, text) = tag.split_once(">\n").unwrap();
            fields.push((name, unescaped(text)));
        } else if tag.starts_with("select") {
            let (_, options) = form.split_once(tag).unwrap();
            let options = options.split("</select>").next().unwrap();
            let chosen = options
                .split("<option ")
                .find(|one| one.contains(" selected"));
            let chosen = chosen.and_then(|one| one.split('"').nth(1));
            fields.push((name, chosen.unwrap_or_default().to_owned()));
        }
    }
    fields
}

/// The same fields, with these in their place.
pub(super) fn with<'f>(
    fields: &'f [(String, String)],
    changed: &[(&'f str, &'f str)],
) -> Vec<(&'f str, &'f str)> {
    let is_kept = |name: &str| changed.iter().all(|(other, _)| *other != name);
    let kept = fields.iter().filter(|(name, _)| is_kept(name));
    let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
    kept.chain(changed.iter().copied()).collect()
}
