//! What reads codes from a camera at the door: qr-scanner as npm has it (`assets/vendor`), and the script of the page. Nothing else loads them.
//! The library would make its worker of a text, which the site's policy does not let run. So that text is a file of its own.

use super::{Asset, SCRIPT};

const LIBRARY: &str = include_str!("../../assets/vendor/qr-scanner.min.js");

/// A module that makes the worker of a text between backticks.
const WORKER: &str = include_str!("../../assets/vendor/qr-scanner-worker.min.js");

/// What its authors ask to be sent with it.
const LICENCE: &str = include_str!("../../assets/vendor/LICENSE-qr-scanner");

/// The worker has another library in it.
const OF_DECODER: &str =
    "\nWith jsQR (https://github.com/cozmo/jsQR), under the Apache License, Version 2.0.\n";

/// How the library names that module.
const WORKER_MODULE: &str = "./qr-scanner-worker.min.js";

/// The files of the scanner.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    /// The script of the page.
    pub(crate) script: Asset,
    /// The module with the decoder, which runs once someone starts a camera.
    pub(crate) library: Asset,
    worker_module: Asset,
    worker: Asset,
    /// The service worker, which brings the page back without the network.
    pub(crate) keeper: Asset,
}

impl Scanner {
    pub(super) fn new() -> Self {
        let with_licence = |more: &str, text: &str| format!("/*\n{LICENCE}{more}*/\n{text}");
        let worker = with_licence(OF_DECODER, &text_of_worker());
        let worker = Asset::new("qr-scanner-worker", "js", SCRIPT, worker);
        let make = format!(
            "export const createWorker=()=>new Worker(\"{}\");\n",
            worker.path
        );
        let worker_module = Asset::new("qr-scanner-worker-module", "js", SCRIPT, make);
        let library = LIBRARY.replace(WORKER_MODULE, &worker_module.path);
        Self {
            script: Asset::new("door", "js", SCRIPT, include_str!("../../assets/door.js")),
            library: Asset::new("qr-scanner", "js", SCRIPT, with_licence("", &library)),
            worker_module,
            worker,
            keeper: Asset::new(
                "door-worker",
                "js",
                SCRIPT,
                include_str!("../../assets/door-worker.js"),
            ),
        }
    }

    /// The paths of what the page needs to scan, as its script has them.
    pub(crate) fn paths(&self) -> String {
        let needed = [
            &self.script,
            &self.library,
            &self.worker_module,
            &self.worker,
        ];
        needed.map(|asset| &*asset.path).join(" ")
    }

    pub(super) fn files(&self) -> [&Asset; 5] {
        [
            &self.script,
            &self.library,
            &self.worker_module,
            &self.worker,
            &self.keeper,
        ]
    }
}

/// The text between the backticks, as JavaScript reads it.
fn text_of_worker() -> String {
    let text = WORKER.split_once('`').and_then(|(_, rest)| {
        let (text, _) = rest.rsplit_once('`')?;
        Some(text)
    });
    let text = text.unwrap_or_default();
    text.replace("\\`", "`").replace("\\$", "$")
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_files_of_others_are_those_whose_hashes_are_pinned() {
        let pinned: Vec<_> = include_str!("../../assets/vendor/SHA256SUMS")
            .lines()
            .filter_map(|line| line.split_once("  "))
            .collect();
        let files = [
            ("LICENSE-qr-scanner", LICENCE),
            ("qr-scanner-worker.min.js", WORKER),
            ("qr-scanner.min.js", LIBRARY),
        ];
        assert_eq!(pinned.len(), files.len());
        for ((hash, name), (file, text)) in pinned.into_iter().zip(files) {
            let digest = Sha256::digest(text);
            let digest: Vec<_> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((name, hash), (file, &*digest.concat()));
        }
    }

    #[test]
    fn the_library_leads_to_the_worker_in_a_file_of_its_own() {
        let scanner = Scanner::new();
        let text = |asset: &Asset| String::from_utf8(asset.bytes.to_vec()).unwrap();
        let library = text(&scanner.library);
        assert!(library.contains(&scanner.worker_module.path) && !library.contains(WORKER_MODULE));
        assert!(text(&scanner.worker_module).contains(&scanner.worker.path));
        let worker = text(&scanner.worker);
        assert!(worker.contains(LICENCE) && worker.contains("self.onmessage"));
        // Nothing of the module that it was in, nor of its escapes.
        assert!(!worker.contains('\\') && !worker.contains("Blob"));
        assert!(text(&scanner.script).len() < 16_000);
    }
}
