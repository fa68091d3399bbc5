//! Which paths a Rust file names, read from its tokens: `use` trees and paths in code alike, also within macros.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// What a file of a crate names.
#[derive(Debug)]
pub(super) struct Imports {
    file: PathBuf,
    /// The file's place in the crate: `["storage", "postgres"]`.
    place: Vec<String>,
    /// Every path, those of the crate itself from its root on and behind `crate`.
    paths: BTreeSet<Vec<String>>,
    /// The names of all methods that the file calls.
    calls: BTreeSet<String>,
    /// What the crate's root takes from its modules, by name: items that other modules name without their module.
    root_items: Rc<BTreeMap<String, String>>,
}

impl Imports {
    /// Those of every file below a crate's `src`.
    pub(super) fn of(src: &Path) -> Vec<Self> {
        let files = files_below(src);
        assert!(!files.is_empty(), "no source in {}", src.display());
        let mut all: Vec<Self> = files
            .into_iter()
            .map(|file| Self::read(src, file))
            .collect();
        let roots = all.iter().filter(|imports| imports.place.is_empty());
        let items: Rc<BTreeMap<String, String>> = Rc::new(roots.flat_map(Self::items).collect());
        for imports in &mut all {
            imports.root_items = Rc::clone(&items);
        }
        all
    }

    /// Items of modules that a root names, each with its module.
    fn items(&self) -> Vec<(String, String)> {
        let path = |path: &Vec<String>| match path.as_slice() {
            [own, module, .., item] if own == "crate" => Some((item.clone(), module.clone())),
            [module, .., item] if self.is_module(module) => Some((item.clone(), module.clone())),
            _ => None,
        };
        self.paths.iter().filter_map(path).collect()
    }

    fn read(src: &Path, file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).expect("a source file");
        let relative = file
            .strip_prefix(src)
            .expect("below src")
            .with_extension("");
        let mut place: Vec<String> = relative
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        // The crate's roots are the crate itself.
        if matches!(place.as_slice(), [root] if root == "lib" || root == "main") {
            place.clear();
        }
        Self::parse(file, place, &text)
    }

    fn parse(file: PathBuf, place: Vec<String>, text: &str) -> Self {
        let tokens: TokenStream = text.parse().expect("Rust");
        let mut paths = BTreeSet::new();
        collect(tokens.clone(), &place, &[], &mut paths);
        let mut calls = BTreeSet::new();
        collect_calls(tokens, &mut calls);
        Self {
            file,
            place,
            paths,
            calls,
            root_items: Rc::default(),
        }
    }

    pub(super) fn file(&self) -> String {
        self.file.display().to_string()
    }

    /// The crate's module that the file belongs to; none for the crate's roots.
    pub(super) fn module(&self) -> Option<&str> {
        self.place.first().map(String::as_str)
    }

    /// The crate's modules that the file names, also by items that the crate's root takes from them.
    pub(super) fn modules(&self) -> BTreeSet<&str> {
        let own = self.paths.iter().filter(|path| path[0] == "crate");
        let named = own.filter_map(|path| path.get(1).map(String::as_str));
        let module = |name| {
            if self.is_module(name) {
                return Some(name);
            }
            self.root_items.get(name).map(String::as_str)
        };
        named.filter_map(module).collect()
    }

    /// Whether a path begins with the name of this crate of others.
    pub(super) fn names(&self, name: &str) -> bool {
        self.paths
            .iter()
            .any(|path| path.len() > 1 && path[0] == name)
    }

    /// The file's place in the crate, for example `service/command`.
    pub(super) fn place(&self) -> String {
        self.place.join("/")
    }

    /// Whether the file calls a method of that name.
    pub(super) fn calls(&self, method: &str) -> bool {
        self.calls.contains(method)
    }

    fn is_module(&self, name: &str) -> bool {
        let up = self.place.len().max(1);
        let src = self.file.ancestors().nth(up).expect("below src");
        src.join(name).with_extension("rs").exists()
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Reads tokens into paths.
struct Reader<'a> {
    /// The module that the tokens are in.
    place: &'a [String],
    /// What stands before a group of a `use` tree.
    before: &'a [String],
    /// The path being read; between paths, what the next one begins with.
    path: Vec<String>,
    /// Whether the next name continues the path.
    joined: bool,
    paths: &'a mut BTreeSet<Vec<String>>,
}

/// Adds every path that the tokens name.
fn collect(
    tokens: TokenStream,
    place: &[String],
    before: &[String],
    paths: &mut BTreeSet<Vec<String>>,
) {
    let mut reader = Reader {
        place,
        before,
        path: before.to_vec(),
        joined: true,
        paths,
    };
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => reader.name(name.to_string()),
            TokenTree::Group(group) => reader.group(&group),
            TokenTree::Punct(colon)
                if colon.as_char() == ':' && colon.spacing() == Spacing::Joint =>
            {
                tokens.next();
                reader.joined = true;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => reader.end(),
        }
    }
    reader.end();
}

/// Adds the name of every method that the tokens call: what stands between a dot and parentheses.
fn collect_calls(tokens: TokenStream, calls: &mut BTreeSet<String>) {
    let (mut after_dot, mut method) = (false, None);
    for token in tokens {
        let called = method.take();
        let was_dot = std::mem::take(&mut after_dot);
        match token {
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Parenthesis {
                    calls.extend(called);
                }
                collect_calls(group.stream(), calls);
            }
            TokenTree::Ident(name) if was_dot => method = Some(name.to_string()),
            TokenTree::Punct(dot) => after_dot = dot.as_char() == '.',
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
}

impl Reader<'_> {
    fn name(&mut self, name: String) {
        if !self.joined {
            // `mod name` is kept together, for what follows it.
            let opens_module = self.path == ["mod"];
            self.end();
            if opens_module {
                self.path = vec!["mod".to_owned()];
            } else {
                self.path.clear();
            }
        }
        self.path.push(name);
        self.joined = false;
    }

    fn group(&mut self, group: &Group) {
        let path = std::mem::take(&mut self.path);
        match path.as_slice() {
            [keyword, name] if keyword == "mod" => {
                let inner = [self.place, std::slice::from_ref(name)].concat();
                collect(group.stream(), &inner, &[], self.paths);
            }
            path if self.joined && group.delimiter() == Delimiter::Brace => {
                collect(group.stream(), self.place, path, self.paths);
            }
            path => {
                keep(path, self.place, self.paths);
                collect(group.stream(), self.place, &[], self.paths);
            }
        }
        self.end();
    }

    /// The path ends here.
    fn end(&mut self) {
        keep(&self.path, self.place, self.paths);
        self.path = self.before.to_vec();
        self.joined = true;
    }
}

/// Adds a path, those of this crate from its root on.
fn keep(path: &[String], place: &[String], paths: &mut BTreeSet<Vec<String>>) {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let rest = path.iter().skip(ups).filter(|name| *name != "self");
    if ups > 0 || path.first().is_some_and(|name| name == "self") {
        let base = place.iter().take(place.len().saturating_sub(ups));
        let root = "crate".to_owned();
        paths.insert(
            [&root]
                .into_iter()
                .chain(base)
                .chain(rest)
                .cloned()
                .collect(),
        );
    } else if !path.is_empty() {
        paths.insert(rest.cloned().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(place: &[&str], text: &str) -> Vec<String> {
        let place: Vec<String> = place.iter().map(|part| (*part).to_owned()).collect();
        let imports = Imports::parse(PathBuf::from("a.rs"), place, text);
        let long = imports.paths.iter().filter(|path| path.len() > 1);
        long.map(|path| path.join("::")).collect()
    }

    #[test]
    fn use_trees_are_taken_apart() {
        assert_eq!(
            paths(
                &["a"],
                "use crate::{b, c::{self, d}, e::f as g}; use sqlx::query;"
            ),
            [
                "crate::b",
                "crate::c",
                "crate::c::d",
                "crate::e::f",
                "sqlx::query"
            ]
        );
    }

    #[test]
    fn paths_upwards_are_resolved_also_from_modules_within_a_file() {
        assert_eq!(
            paths(
                &["a", "b"],
                "use super::c; mod tests { use super::super::d; } fn f() { super::super::e::g() }"
            ),
            ["crate::a::c", "crate::a::d", "crate::e::g"]
        );
    }

    #[test]
    fn methods_are_found_where_they_are_called() {
        let text = "// a.x()\nfn y() { self.tx.begin().await?; f(|| b.commit()); c.field; d::z() }";
        let imports = Imports::parse(PathBuf::from("a.rs"), Vec::new(), text);
        let calls: Vec<&String> = imports.calls.iter().collect();
        assert_eq!(calls, ["begin", "commit"]);
    }

    #[test]
    fn paths_in_code_and_in_macros_count_and_those_in_comments_do_not() {
        assert_eq!(
            paths(
                &["a"],
                "// crate::x::y\n/// crate::x::z\nfn f(a: crate::b::C) { println!(\"{}\", crate::d::E) }"
            ),
            ["crate::b::C", "crate::d::E"]
        );
    }
}
