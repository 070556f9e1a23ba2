//! Hostile files. Each is stored in bounded time, and other files are converted meanwhile.

use std::time::{Duration, Instant};

use testkit::session::{file_name, objects};
use testkit::upload::ASSEMBLY;

use crate::conversions::support::{limited, pdf};

/// Longest time of an upload with its conversion.
const LIMIT: Duration = Duration::from_secs(60);

fn step(data: &str) -> Vec<u8> {
    let (head, _) = ASSEMBLY.split_at(ASSEMBLY.find("#10=").unwrap());
    format!("{head}{data}ENDSEC;\nEND-ISO-10303-21;\n").into_bytes()
}

/// A chain of products, each part of the next; with `is_circle`, the last is part of the first.
fn chain(length: usize, is_circle: bool) -> Vec<u8> {
    let mut data = String::new();
    for number in 0..length {
        let (product, next) = (100 + 10 * number, 100 + 10 * ((number + 1) % length));
        data.push_str(&format!(
            "#{product}=PRODUCT('p','p','',(#2));\n#{}=PRODUCT_DEFINITION_FORMATION('','',#{product});\n\
             #{}=PRODUCT_DEFINITION('','',#{},#3);\n",
            product + 1,
            product + 2,
            product + 1
        ));
        if is_circle || number + 1 < length {
            let (whole, part) = (product + 2, next + 2);
            data.push_str(&format!(
                "#{}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{whole},#{part},$);\n",
                product + 3
            ));
        }
    }
    step(&data)
}

fn raw_pdf(objects: &str) -> Vec<u8> {
    format!("%PDF-1.4\n{objects}\ntrailer<</Root 1 0 R>>\n%%EOF\n").into_bytes()
}

// X30
#[tokio::test]
async fn hostile_files_are_stored_in_bounded_time_and_affect_no_others() {
    let opened =
        limited(&[("conversion_secs", "8"), ("ATELIER_CONVERSION_MEMORY_BYTES", "1073741824")]).await;
    let million_points = "#9=CARTESIAN_POINT('',(0.,0.,0.));\n".repeat(1_000_000);
    let kids = "3 0 R ".repeat(1_000_000);
    let page = "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj";
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("nested.stp", step(&format!("#9=A({}{});\n", "(".repeat(1_000_000), ")".repeat(1_000_000)))),
        ("points.stp", step(&million_points)),
        ("line.stp", step(&format!("#9=A('{}');", "x".repeat(64 * 1024 * 1024)))),
        ("circle.stp", chain(1_000, true)),
        ("deep.stp", chain(5_000, false)),
        ("itself.stp", chain(1, true)),
        (
            "huge.pdf",
            raw_pdf(
                "1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]/Count 1>>endobj \
                 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200000 200000]>>endobj",
            ),
        ),
        ("cyclic.pdf", raw_pdf("1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R 2 0 R]/Count 2>>endobj")),
        (
            "pages.pdf",
            raw_pdf(&format!(
                "1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[{kids}]/Count 1000000>>endobj {page}"
            )),
        ),
        ("nested.pdf", pdf(&[&"q ".repeat(1_000_000), &"[".repeat(1_000_000)])),
        ("line.py", "#".repeat(50 * 1024 * 1024).into_bytes()),
        ("bomb.zip", b"PK\x03\x04".repeat(1_000_000)),
    ];
    for (name, bytes) in files {
        let size = bytes.len();
        let started = Instant::now();
        let (hostile, friendly) = tokio::join!(
            opened.session.upload(&opened.model, name, bytes).into_future(),
            opened.session.upload(&opened.model, "gear.stp", ASSEMBLY).into_future()
        );
        let took = started.elapsed();
        assert_eq!(objects(&friendly.expect(200)).len(), 3, "beside {name}");
        let all = objects(&hostile.expect(200));
        assert_eq!(all[0]["size"], size, "{name}");
        let path = opened.session.download_path(&file_name(&all[0]));
        let whole = opened.session.grant.head(&path).await.expect(200);
        assert_eq!(whole.header("content-length"), size.to_string(), "{name}");
        assert!(took < LIMIT, "{name} took {took:?}");
    }
}
