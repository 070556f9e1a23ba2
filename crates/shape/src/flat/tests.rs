//! Tests of flat pictures. The ignored one writes them for people to look at.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

use super::{Flat, FlatError, fitting, image, page};
use crate::picture::{Picture, PictureSize};

const CODE: &str = include_str!("font.rs");

/// An image with a red left and a blue right half.
fn halves(width: u32, height: u32) -> DynamicImage {
    let colour = |x: u32| if x < width / 2 { Rgba([255, 0, 0, 255]) } else { Rgba([0, 0, 255, 255]) };
    DynamicImage::ImageRgba8(RgbaImage::from_fn(width, height, |x, _| colour(x)))
}

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

fn at(picture: &Picture, x: usize, y: usize) -> [u8; 4] {
    picture.pixels[y * usize::from(picture.size_px) + x]
}

fn is_red([red, green, blue, alpha]: [u8; 4]) -> bool {
    red > 240 && green < 20 && blue < 20 && alpha == 255
}

#[test]
fn every_format_is_drawn_in_the_middle_of_a_transparent_square() {
    let small = halves(512, 256);
    let opaque = DynamicImage::ImageRgb8(small.to_rgb8());
    for (format, image_of) in [
        (ImageFormat::Png, &small),
        (ImageFormat::Jpeg, &opaque),
        (ImageFormat::Gif, &small),
        (ImageFormat::WebP, &small),
        (ImageFormat::Bmp, &opaque),
        (ImageFormat::Tiff, &small),
    ] {
        let picture = image(&file(image_of, format)).unwrap().draw(PictureSize::Small);
        assert_eq!(picture.size_px, 256);
        assert!(is_red(at(&picture, 10, 128)), "{format:?} {:?}", at(&picture, 10, 128));
        assert_eq!(at(&picture, 10, 60), [0; 4], "{format:?}");
        assert_eq!(at(&picture, 10, 195), [0; 4], "{format:?}");
    }
}

#[test]
fn a_turned_image_is_shown_as_it_was_seen() {
    let jpeg = file(&DynamicImage::ImageRgb8(halves(64, 32).to_rgb8()), ImageFormat::Jpeg);
    // Exif data with orientation 6: to be turned by a quarter, clockwise.
    let exif = b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&jpeg[..2], &exif[..], &jpeg[2..]].concat();
    let picture = image(&turned).unwrap().draw(PictureSize::Small);
    assert!(is_red(at(&picture, 128, 20)), "the left is above: {:?}", at(&picture, 128, 20));
    assert_eq!(at(&picture, 20, 128), [0; 4], "it is upright");
}

#[test]
fn transparent_parts_stay_and_take_no_colour_from_what_is_hidden() {
    let hidden =
        RgbaImage::from_fn(512, 512, |x, _| Rgba(if x % 2 == 0 { [0, 255, 0, 0] } else { [255, 0, 0, 255] }));
    let picture =
        image(&file(&DynamicImage::ImageRgba8(hidden), ImageFormat::Png)).unwrap().draw(PictureSize::Small);
    let [red, green, _, alpha] = at(&picture, 100, 100);
    assert!(red > 250 && green < 5 && (120..136).contains(&alpha), "{red} {green} {alpha}");
}

#[test]
fn grey_of_black_and_white_is_that_of_their_light() {
    let lines = RgbaImage::from_fn(512, 512, |x, _| Rgba(if x % 2 == 0 { [0, 0, 0, 255] } else { [255; 4] }));
    let picture =
        image(&file(&DynamicImage::ImageRgba8(lines), ImageFormat::Png)).unwrap().draw(PictureSize::Small);
    let [grey, ..] = at(&picture, 100, 100);
    assert!((184..=192).contains(&grey), "{grey}");
}

#[test]
fn small_images_are_enlarged_four_times_and_thin_ones_keep_a_pixel() {
    assert_eq!(fitting(16, 8, 256), (64, 32));
    assert_eq!(fitting(4_000, 1, 256), (256, 1));
    assert_eq!(fitting(300, 200, 256), (256, 170));
}

#[test]
fn hostile_images_have_a_reason() {
    let png = file(&halves(64, 64), ImageFormat::Png);
    assert_eq!(image(&png[..60]).unwrap_err(), FlatError::Damaged);
    assert_eq!(image(b"").unwrap_err(), FlatError::Damaged);
    assert_eq!(image(b"GIF89a").unwrap_err(), FlatError::Damaged);
    // The size in the header alone; the checksum of the header is for that size.
    let mut bomb = Vec::new();
    let header = png::Encoder::new(&mut bomb, 60_000, 60_000).write_header();
    drop(header);
    let bomb = [&bomb[..33], b"\0\0\0\x04IDAT\0\0\0\0"].concat();
    assert_eq!(image(&bomb).unwrap_err(), FlatError::TooLarge);
    let mut bitmap = file(&DynamicImage::ImageRgb8(halves(2, 2).to_rgb8()), ImageFormat::Bmp);
    bitmap[18..26].copy_from_slice(&[0x60, 0xea, 0, 0, 0x60, 0xea, 0, 0]);
    assert_eq!(image(&bitmap).unwrap_err(), FlatError::TooLarge);
}

#[test]
fn a_page_is_paper_with_a_line_and_a_shadow() {
    let blank = DynamicImage::ImageLuma8(image::GrayImage::from_pixel(850, 1_100, image::Luma([255])));
    let picture = page(&file(&blank, ImageFormat::Png)).unwrap().draw(PictureSize::Small);
    assert_eq!(at(&picture, 128, 128), [255; 4]);
    let [line, .., alpha] = at(&picture, 128, 8);
    assert!(line < 230 && alpha == 255, "{line}");
    let [.., above] = at(&picture, 128, 0);
    let [.., below] = at(&picture, 128, 249);
    assert!(above == 0 && below > 30, "{above} {below}");
}

#[test]
fn text_is_drawn_in_cells_and_cut_at_the_edge() {
    let flat = |text: &str| Flat::Text { text: text.to_owned(), is_code: false };
    let blank = flat("").draw(PictureSize::Large);
    let short = flat("ab").draw(PictureSize::Large);
    let tab = flat("\ta").draw(PictureSize::Large);
    let spaces = flat("    a").draw(PictureSize::Large);
    assert_ne!(blank, short);
    assert_eq!(tab, spaces);
    let long = "x".repeat(5_000);
    let longer = "x".repeat(6_000);
    assert_eq!(flat(&long).draw(PictureSize::Large), flat(&longer).draw(PictureSize::Large));
    // Characters that the font lacks are boxes of their width, and what has no width takes none.
    assert_ne!(flat("部").draw(PictureSize::Large), blank);
    assert_eq!(flat("a\u{200b}b").draw(PictureSize::Large), short);
    assert_eq!(flat("a\u{7}b").draw(PictureSize::Large), short);
}

#[test]
fn code_has_colours() {
    let draw = |is_code| Flat::Text { text: CODE.to_owned(), is_code }.draw(PictureSize::Large);
    let is_grey = |picture: &Picture| picture.pixels.iter().all(|[red, _, blue, _]| red.abs_diff(*blue) < 12);
    assert!(is_grey(&draw(false)) && !is_grey(&draw(true)));
}

#[test]
#[ignore = "writes pictures for people to look at"]
fn pictures_to_look_at() {
    let folder = std::env::temp_dir().join("flat");
    std::fs::create_dir_all(&folder).unwrap();
    let lines = RgbaImage::from_fn(850, 1_100, |x, y| {
        Rgba(if y % 20 < 3 && (80..770).contains(&x) { [60, 60, 60, 255] } else { [255; 4] })
    });
    let drawing = page(&file(&DynamicImage::ImageRgba8(lines), ImageFormat::Png)).unwrap();
    let code = Flat::Text { text: CODE.to_owned(), is_code: true };
    let prose = Flat::Text { text: "Über 10 µm ± 部品\n\ta tab\n".repeat(40), is_code: false };
    let photo = image(&file(&halves(640, 400), ImageFormat::Png)).unwrap();
    for (name, flat) in [("page", drawing), ("code", code), ("prose", prose), ("photo", photo)] {
        for (size, edge) in [(PictureSize::Small, 256), (PictureSize::Large, 1_024)] {
            let picture = flat.draw(size);
            for (ground, grey) in [("light", 255_u32), ("dark", 24)] {
                let shown: Vec<u8> = picture
                    .pixels
                    .iter()
                    .flat_map(|[red, green, blue, alpha]| {
                        [red, green, blue].map(|part| {
                            let alpha = u32::from(*alpha);
                            u8::try_from((u32::from(*part) * alpha + grey * (255 - alpha)) / 255).unwrap()
                        })
                    })
                    .collect();
                let path = folder.join(format!("{name}-{edge}-{ground}.png"));
                image::save_buffer(path, &shown, edge, edge, image::ExtendedColorType::Rgb8).unwrap();
            }
        }
    }
}
