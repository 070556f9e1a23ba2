//! The multipart scanner on generated bodies, split in every way, compared with `actix-multipart`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::convert::Infallible;

use actix_multipart::Multipart;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use bytes::Bytes;
use dataplane::multipart::head::Boundary;
use dataplane::multipart::{FormPiece, Scanner};
use domain::Code;
use futures_util::{StreamExt, TryStreamExt, stream};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assume, prop_oneof, proptest};

const CONTENT_TYPE_TEXT: &str = "multipart/form-data; boundary=x-B";

/// A file of a form: its name and bytes.
type FormFile = (Option<String>, Vec<u8>);

/// Scans a body of one file, or returns the code of its refusal.
fn scan<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<FormFile, Code> {
    let mut files = scan_files(chunks, 1)?;
    Ok(files.pop().unwrap())
}

fn scan_files<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, most: usize) -> Result<Vec<FormFile>, Code> {
    let boundary = Boundary::of_content_type(CONTENT_TYPE_TEXT).unwrap();
    let mut scanner = Scanner::new(&boundary, most);
    let (mut files, mut complete) = (Vec::<FormFile>::new(), 0);
    for chunk in chunks {
        let pushed = scanner.push(Bytes::copy_from_slice(chunk), |piece| match piece {
            FormPiece::Begin(name) => files.push((name, Vec::new())),
            FormPiece::Bytes(data) => files.last_mut().unwrap().1.extend_from_slice(&data),
            FormPiece::End => complete += 1,
        });
        pushed.map_err(|error| error.code)?;
    }
    scanner.finish().map_err(|error| error.code)?;
    assert_eq!(complete, files.len());
    Ok(files)
}

fn body(file: &[u8]) -> Vec<u8> {
    let head = b"--x-B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n";
    [head, file, b"\r\n--x-B--\r\n"].concat()
}

/// Bytes that are mostly parts of delimiters, so that all near misses occur.
fn tricky_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r\n-".to_vec()),
        Just(b"\r\n--x".to_vec()),
        Just(b"\r\n--x-".to_vec()),
        Just(b"--x-B".to_vec()),
        Just(b"\n--x-B--".to_vec()),
        Just(b"B".to_vec()),
        vec(any::<u8>(), 0..40),
    ];
    let bytes = vec(piece, 0..30).prop_map(|pieces| pieces.concat());
    bytes.prop_filter("a file can't hold its own delimiter", |bytes| {
        ![b"\r\n", bytes.as_slice()].concat().windows(7).any(|window| window == b"\r\n--x-B")
    })
}

proptest! {
    #[test]
    fn a_file_is_read_from_a_body_split_in_any_way(file in tricky_bytes(), cuts in vec(0_usize..2_000, 0..20)) {
        let body = body(&file);
        let expected = Ok((Some("a.bin".to_owned()), file));
        for size in 1..body.len().min(48) {
            assert_eq!(scan(body.chunks(size)), expected, "in chunks of {size}");
        }
        for at in 0..=body.len() {
            let (left, right) = body.split_at(at);
            assert_eq!(scan([left, right]), expected, "cut at {at}");
        }
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        assert_eq!(scan(cuts.windows(2).map(|cut| &body[cut[0]..cut[1]])), expected);
    }

    #[test]
    fn several_files_are_read_from_a_body_split_in_any_way(
        files in vec(tricky_bytes(), 1..5),
        cuts in vec(0_usize..2_000, 0..20),
    ) {
        let part = |(number, file): (usize, &Vec<u8>)| {
            let head = format!("--x-B\r\nContent-Disposition: form-data; name=file; filename=a/{number}\r\n\r\n");
            [head.as_bytes(), file, b"\r\n"].concat()
        };
        let body = [files.iter().enumerate().flat_map(part).collect(), b"--x-B-- \r\nend".to_vec()].concat();
        let expected: Vec<FormFile> =
            files.into_iter().enumerate().map(|(number, file)| (Some(format!("a/{number}")), file)).collect();
        for size in [1, 2, 3, 17, body.len()] {
            assert_eq!(scan_files(body.chunks(size), 4).unwrap(), expected, "in chunks of {size}");
        }
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        assert_eq!(scan_files(cuts.windows(2).map(|cut| &body[cut[0]..cut[1]]), 4).unwrap(), expected);
        let fewer = scan_files(body.chunks(5), expected.len() - 1);
        assert_eq!(fewer, if expected.len() == 1 { Ok(expected) } else { Err(Code::InvalidUpload) });
    }

    #[test]
    fn a_body_truncated_anywhere_is_refused(file in tricky_bytes()) {
        let body = body(&file);
        let end = body.len() - b"\r\n".len();
        for at in 0..end {
            assert_eq!(scan([&body[..at]]), Err(Code::InvalidUpload), "cut at {at}");
        }
        assert!(scan([&body[..end]]).is_ok());
    }

    #[test]
    fn arbitrary_bytes_give_the_same_result_split_in_any_way(bytes in tricky_bytes(), size in 1_usize..40) {
        let bytes = [b"--x-B\r\n".as_slice(), &bytes].concat();
        assert_eq!(scan(bytes.chunks(size)), scan([bytes.as_slice()]));
    }

    #[test]
    fn a_well_formed_body_is_read_as_by_actix_multipart(file in tricky_bytes(), size in 1_usize..100) {
        // actix-multipart takes a boundary after a lone CR for the end of the file.
        prop_assume!(!file.windows(5).any(|window| window == b"--x-B"));
        let body = body(&file);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let theirs = runtime.block_on(actix_multipart(&body, size));
        assert_eq!(scan(body.chunks(size)).unwrap().1, theirs);
    }
}

async fn actix_multipart(body: &[u8], size: usize) -> Vec<u8> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE_TEXT));
    let chunks: Vec<_> =
        body.chunks(size).map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk))).collect();
    let payload = stream::iter(chunks).map_err(|never: Infallible| match never {});
    let mut multipart = Multipart::new(&headers, payload);
    let mut field = multipart.next().await.unwrap().unwrap();
    let mut file = Vec::new();
    while let Some(chunk) = field.next().await {
        file.extend_from_slice(&chunk.unwrap());
    }
    file
}

#[test]
fn padding_around_parts_is_ignored() {
    let body = b"preamble\r\n--x-B \t\r\nContent-Disposition: form-data; name=file\r\n\r\nhi\r\n--x-B-- \r\nepilogue";
    assert_eq!(scan([body.as_slice()]), Ok((None, b"hi".to_vec())));
    let empty = b"--x-B\r\nContent-Disposition: form-data; name=file\r\n\r\n\r\n--x-B--";
    assert_eq!(scan([empty.as_slice()]), Ok((None, Vec::new())));
}

#[test]
fn a_body_without_exactly_one_file_part_is_refused() {
    let part = "Content-Disposition: form-data; name=\"file\"\r\n\r\nhi";
    let other = "Content-Disposition: form-data; name=\"other\"\r\n\r\nhi";
    let bodies = [
        ("nothing", String::new()),
        ("only the end", "--x-B--\r\n".to_owned()),
        ("another boundary", format!("--y\r\n{part}\r\n--y--\r\n")),
        ("another name", format!("--x-B\r\n{other}\r\n--x-B--\r\n")),
        ("two parts", format!("--x-B\r\n{part}\r\n--x-B\r\n{part}\r\n--x-B--\r\n")),
        ("file, then another", format!("--x-B\r\n{part}\r\n--x-B\r\n{other}\r\n--x-B--\r\n")),
        ("100,000 parts", format!("{}--x-B--", format!("--x-B\r\n{part}\r\n").repeat(100_000))),
        ("no closing boundary", format!("--x-B\r\n{part}\r\n")),
        ("a boundary that goes on", format!("--x-B\r\n{part}\r\n--x-Boundary--\r\n")),
        ("no headers", "--x-B\r\n\r\nhi\r\n--x-B--\r\n".to_owned()),
        ("17 KiB of headers", format!("--x-B\r\nX: {}\r\n{part}\r\n--x-B--\r\n", "x".repeat(17 * 1024))),
        ("endless headers", format!("--x-B\r\nX: {}", "x".repeat(1024 * 1024))),
        ("a long preamble", format!("{}\r\n--x-B\r\n{part}\r\n--x-B--\r\n", "x".repeat(17 * 1024))),
        ("a long epilogue", format!("--x-B\r\n{part}\r\n--x-B--\r\n{}", "x".repeat(17 * 1024))),
    ];
    for (what, body) in bodies {
        for size in [1, 1_000, body.len().max(1)] {
            assert_eq!(scan(body.as_bytes().chunks(size)), Err(Code::InvalidUpload), "{what} in {size}");
        }
    }
}

#[test]
fn data_is_passed_on_without_a_copy() {
    let boundary = Boundary::of_content_type(CONTENT_TYPE_TEXT).unwrap();
    let mut scanner = Scanner::new(&boundary, 1);
    let chunk = Bytes::from(body(&[7; 1_000]));
    let within = chunk.as_ptr_range();
    let mut passed = 0;
    let count = |piece| {
        if let FormPiece::Bytes(data) = piece {
            assert!(within.contains(&data.as_ptr()));
            passed += data.len();
        }
    };
    scanner.push(chunk, count).unwrap();
    assert_eq!(passed, 1_000);
}
