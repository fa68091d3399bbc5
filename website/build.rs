//! Prepares the static files: their names get a fingerprint of their content, and text is compressed once, as small as it gets.

use std::{env, fmt::Write as _, fs, io, io::Write as _, path::Path};

use sha2::{Digest as _, Sha256};

/// The largest window that browsers accept.
const BROTLI_WINDOW: u32 = 22;
const BROTLI_QUALITY: u32 = 11;

/// The length of a fingerprint: enough to tell versions of one file apart.
const FINGERPRINT_BYTES: usize = 6;

/// A file of `assets/`, and the constant that has its path.
struct Source {
    name: &'static str,
    constant: &'static str,
    media_type: &'static str,
}

/// Files in the order of making: the manifest names the icon.
const SOURCES: [Source; 5] = [
    Source {
        name: "style.css",
        constant: "STYLE",
        media_type: "text/css; charset=utf-8",
    },
    Source {
        name: "dashboard.css",
        constant: "DASHBOARD_STYLE",
        media_type: "text/css; charset=utf-8",
    },
    Source {
        name: "site.js",
        constant: "SCRIPT",
        media_type: "text/javascript; charset=utf-8",
    },
    Source {
        name: "favicon.svg",
        constant: "ICON",
        media_type: "image/svg+xml",
    },
    Source {
        name: "manifest.webmanifest",
        constant: "MANIFEST",
        media_type: "application/manifest+json",
    },
];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=assets");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let out = Path::new(&out);
    let (mut table, mut constants) = (String::new(), String::new());
    let mut renamed: Vec<(String, String)> = Vec::new();
    for source in SOURCES {
        let mut text = fs::read_to_string(Path::new("assets").join(source.name))?;
        for (plain, fingerprinted) in &renamed {
            text = text.replace(plain, fingerprinted);
        }
        let file = fingerprinted(source.name, text.as_bytes());
        fs::write(out.join(&file), &text)?;
        fs::write(out.join(format!("{file}.gz")), gzip(text.as_bytes())?)?;
        fs::write(out.join(format!("{file}.br")), brotli(text.as_bytes())?)?;
        let (constant, media_type) = (source.constant, source.media_type);
        let described = writeln!(
            constants,
            "/// The path of `{}`.\npub(crate) const {constant}: &str = \"/assets/{file}\";",
            source.name
        )
        .and_then(|()| {
            writeln!(
                table,
                "    Asset {{ name: \"{file}\", media_type: \"{media_type}\", \
                 plain: include_bytes!(\"{file}\"), gzip: include_bytes!(\"{file}.gz\"), \
                 brotli: include_bytes!(\"{file}.br\") }},"
            )
        });
        described.map_err(io::Error::other)?;
        renamed.push((
            format!("/assets/{}", source.name),
            format!("/assets/{file}"),
        ));
    }
    let code = format!("{constants}\nconst ASSETS: &[Asset] = &[\n{table}];\n");
    fs::write(out.join("assets.rs"), code)
}

/// `style.css` becomes `style.0123456789ab.css`.
fn fingerprinted(name: &str, bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex = digest.iter().take(FINGERPRINT_BYTES);
    let hex = hex.fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}.{hex}.{ending}"),
        None => format!("{name}.{hex}"),
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let mut encoder =
        brotli::CompressorWriter::new(&mut packed, bytes.len(), BROTLI_QUALITY, BROTLI_WINDOW);
    encoder.write_all(bytes)?;
    encoder.flush()?;
    drop(encoder);
    Ok(packed)
}
