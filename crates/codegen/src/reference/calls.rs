//! How to make a call: lines to copy for curl, Python, JavaScript, grpcurl and MCP.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::literal::{self, python, quoted};
use crate::{
    example,
    model::{Api, Cardinality, Field, Kind, Method, Response, Service},
    options::Access,
    parts::Parts,
    route::{Route, RouteBody, Verb},
    schema::Object,
};

/// What a call has besides its credential.
struct Call<'a> {
    method: &'a Method,
    verb: Verb,
    url: String,
    body: Option<Value>,
    /// The media type of the file that is the body instead.
    upload: Option<&'a str>,
}

/// The examples of an operation.
pub(super) fn examples(api: &Api, service: &Service, method: &Method) -> Result<String> {
    let mut text = String::new();
    if let Some(route) = method.routes.first() {
        let call = Call::new(api, method, route)?;
        section(&mut text, "curl", "sh", &call.curl());
        section(&mut text, "Python", "python", &call.python());
        section(&mut text, "JavaScript", "js", &call.javascript());
    }
    let grpc = grpcurl(api, service, method)?;
    section(&mut text, "grpcurl", "sh", &grpc);
    if let Some(tool) = &method.rules.tool {
        let arguments = literal::json(&request(api, method)?.into(), 0);
        let heading = format!("MCP: {}", tool.name);
        section(&mut text, &heading, "json", &arguments);
    }
    Ok(text)
}

fn section(text: &mut String, heading: &str, language: &str, code: &str) {
    let _infallible = writeln!(text, "### {heading}\n\n```{language}\n{code}\n```\n");
}

/// The least useful request: what is required, or else one field to change.
fn request(api: &Api, method: &Method) -> Result<Object> {
    let all = &api.message(&method.request).fields;
    let fields = all
        .iter()
        .filter(|field| !matches!(field.kind, Kind::FieldMask | Kind::File));
    let (path, others): (Vec<_>, Vec<_>) = fields.partition(|field| identifies(method, field));
    let mut request = Object::new();
    for field in path {
        let value = if method.routes.is_empty() && field.meaning.example.is_empty() {
            // Tokens, for example, of which none is right for a reader.
            Value::from(field.name.to_uppercase())
        } else {
            example::value(api, field)?
        };
        request.insert(field.name.clone(), value);
    }
    let changes = match method.routes.first() {
        Some(route) => route.body == RouteBody::Others,
        None => all.iter().any(Field::is_update_mask),
    };
    let given = if changes {
        example::least(api, &others)?
    } else {
        let required = others.into_iter().filter(|field| field.must_be_given());
        example::object(api, required)?
    };
    if let Value::Object(given) = given {
        request.extend(given);
    }
    Ok(request)
}

/// Whether a field says what the call is about: it is in the path, or, without one, always has a value.
fn identifies(method: &Method, field: &Field) -> bool {
    match method.routes.first() {
        Some(route) => route.path_fields.contains(&field.name),
        None => field.kind == Kind::String && field.cardinality == Cardinality::One,
    }
}

impl<'a> Call<'a> {
    fn new(api: &'a Api, method: &'a Method, route: &Route) -> Result<Self> {
        let parts = Parts::new(api, method, route);
        let mut path = route.path.clone();
        for field in &parts.path {
            let value = example::value(api, field)?;
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            path = path.replace(&format!("{{{}}}", field.name), &value);
        }
        let body = match &parts.body {
            Some(body) => Some(example::least(api, &body.fields)?),
            None => None,
        };
        let upload = parts.file.and_then(|file| file.meaning.upload.as_ref());
        let body = body.filter(|body| body.as_object().is_some_and(|body| !body.is_empty()));
        Ok(Self {
            method,
            verb: route.verb,
            url: format!("{}{path}", api.rules.public_url),
            body,
            upload: upload
                .and_then(|upload| upload.media_types.first())
                .map(String::as_str),
        })
    }

    fn needs_credential(&self) -> bool {
        self.method.rules.access != Access::Public
    }

    /// The name of the file that the answer is, if it is one.
    fn file(&self) -> Option<&'static str> {
        let Response::File { media_type } = &self.method.response else {
            return None;
        };
        Some(match media_type.as_str() {
            "text/csv" => "answer.csv",
            "application/zip" => "answer.zip",
            _ => "cover.png",
        })
    }

    fn curl(&self) -> String {
        let mut line = "curl".to_owned();
        if self.verb != Verb::Get && !(self.verb == Verb::Post && self.body.is_some()) {
            let _infallible = write!(line, " -X {}", self.verb.constant());
        }
        if let Some(file) = self.file() {
            let _infallible = write!(line, " -o {file}");
        }
        let _infallible = write!(line, " \"{}\"", self.url);
        if self.needs_credential() {
            line.push_str(" \\\n  -H \"Authorization: Bearer $KEY\"");
        }
        if let Some(body) = &self.body {
            let body = quoted(&literal::json(body, 2));
            let _infallible = write!(
                line,
                " \\\n  -H 'Content-Type: application/json' \\\n  -d {body}"
            );
        }
        if let Some(kind) = self.upload {
            let _infallible = write!(
                line,
                " \\\n  -H 'Content-Type: {kind}' \\\n  --data-binary @{}",
                uploaded(kind)
            );
        }
        line
    }

    fn python(&self) -> String {
        let mut code = String::new();
        if self.needs_credential() {
            code.push_str("import os\n");
        }
        let verb = self.verb.constant().to_ascii_lowercase();
        let _infallible = write!(
            code,
            "import requests\n\nanswer = requests.{verb}(\n    \"{}\",\n",
            self.url
        );
        let mut headers = Vec::new();
        if self.needs_credential() {
            headers.push("\"Authorization\": f\"Bearer {os.environ['KEY']}\"".to_owned());
        }
        if let Some(kind) = self.upload {
            headers.push(format!("\"Content-Type\": \"{kind}\""));
        }
        if !headers.is_empty() {
            let _infallible = writeln!(code, "    headers={{{}}},", headers.join(", "));
        }
        if let Some(body) = &self.body {
            let _infallible = writeln!(code, "    json={},", python(body, 4));
        }
        if let Some(kind) = self.upload {
            let _infallible = writeln!(code, "    data=open(\"{}\", \"rb\"),", uploaded(kind));
        }
        code.push_str("    timeout=30,\n)\nanswer.raise_for_status()\n");
        match self.file() {
            Some(file) => {
                let _infallible = write!(
                    code,
                    "with open(\"{file}\", \"wb\") as file:\n    file.write(answer.content)"
                );
            }
            None => code.push_str("print(answer.json())"),
        }
        code
    }

    fn javascript(&self) -> String {
        let mut code = String::new();
        if let Some(kind) = self.upload {
            let _infallible = writeln!(
                code,
                "import {{ openAsBlob }} from \"node:fs\";\n\nconst file = await openAsBlob(\"{}\");",
                uploaded(kind)
            );
        }
        let _infallible = write!(code, "const answer = await fetch(\"{}\"", self.url);
        let mut options = String::new();
        if self.verb != Verb::Get {
            let _infallible = writeln!(options, "  method: \"{}\",", self.verb.constant());
        }
        let mut headers = Vec::new();
        if self.needs_credential() {
            headers.push("Authorization: `Bearer ${process.env.KEY}`".to_owned());
        }
        if self.body.is_some() {
            headers.push("\"Content-Type\": \"application/json\"".to_owned());
        }
        if let Some(kind) = self.upload {
            headers.push(format!("\"Content-Type\": \"{kind}\""));
        }
        if !headers.is_empty() {
            let _infallible = writeln!(options, "  headers: {{ {} }},", headers.join(", "));
        }
        if let Some(body) = &self.body {
            let _infallible = writeln!(
                options,
                "  body: JSON.stringify({}),",
                literal::json(body, 2)
            );
        }
        if self.upload.is_some() {
            options.push_str("  body: file,\n");
        }
        if !options.is_empty() {
            let _infallible = write!(code, ", {{\n{options}}}");
        }
        code.push_str(");\nif (!answer.ok) throw new Error(await answer.text());\n");
        code.push_str(match self.file() {
            Some(_) => "const file = await answer.blob();",
            None => "console.log(await answer.json());",
        });
        code
    }
}

/// The name of a file of a media type.
fn uploaded(media_type: &str) -> &'static str {
    match media_type {
        "text/csv" => "guests.csv",
        _ => "cover.jpg",
    }
}

/// Where the content of a file belongs in a request.
const CONTENT: &str = "CONTENT";

/// The beginning of a line that gives a request with a file to the program after it: an argument cannot be as long as files are.
fn piped(request: &str, file: &str) -> String {
    let format = request.replace('\\', "\\\\").replace('%', "%%");
    let format = quoted(&format.replace(CONTENT, "%s"));
    format!("printf {format} \"$(base64 < {file} | tr -d '\\n')\" | \\\n  ")
}

/// The host and port of core, where that of the public URL stands for the instance.
fn grpcurl(api: &Api, service: &Service, method: &Method) -> Result<String> {
    let all = &api.message(&method.request).fields;
    let mut fields = request(api, method)?;
    if let Some(mask) = all.iter().find(|field| field.is_update_mask()) {
        let changed = all.iter().filter(|field| !identifies(method, field));
        let changed: Vec<_> = changed
            .filter(|field| fields.contains_key(&field.name))
            .map(|field| field.name.as_str())
            .collect();
        fields.insert(mask.name.clone(), changed.join(",").into());
    }
    let file = all
        .iter()
        .find_map(|field| Some((field, field.meaning.upload.as_ref()?.media_types.first()?)));
    let mut line = String::new();
    if let Some((field, media_type)) = file {
        let body = json!({"content_type": media_type, "data": CONTENT});
        fields.insert(field.name.clone(), body);
        line = piped(
            &literal::json(&fields.clone().into(), 2),
            uploaded(media_type),
        );
    }
    line.push_str("grpcurl");
    if method.rules.access != Access::Public {
        line.push_str(" -H \"Authorization: Bearer $KEY\"");
    }
    if file.is_some() {
        line.push_str(" \\\n  -d @");
    } else if !fields.is_empty() {
        let _infallible = write!(
            line,
            " \\\n  -d {}",
            quoted(&literal::json(&fields.into(), 2))
        );
    }
    let host = api.rules.public_url.split("//").last().unwrap_or_default();
    let _infallible = write!(
        line,
        " \\\n  {host}:50051 {}.{}/{}",
        api.package, service.name, method.name
    );
    Ok(line)
}
