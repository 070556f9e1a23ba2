//! Jira's wiki markup as Markdown, case by case, and for any text.

use exchange::markup::{Markup, wiki};

fn convert(text: &str) -> Markup {
    wiki::to_markdown(text, &|id| (id == "5b10a2844c20165700ede21g").then(|| "Ada Example".to_owned()))
}

#[test]
fn signs_within_numbers_stay() {
    for text in [
        "+3.3V and +5V",
        "~10 mm and ~12 mm",
        "10^6 and 10^-3",
        "12 +0.02-0.01 mm and 25.0(+-0.1)",
        "-5 V to -12 V",
        "M3*20, 4*2 and 5*3*1".replace('*', "x").as_str(),
        "snake_case_name and other_name",
        "well-known co-ordinates",
        "a - b - c",
        "-v and -x",
        "2 + 3 + 4",
        "C:\\temp and C:\\",
        "R1,R2~R5",
        "Wow! That is it. Great!",
        "[GEAR-12] array[3]",
        "[see|# 3] !a.png|not a size!",
        "{not a macro} {}",
        "50% (see #3)",
        "10^6-10^-3",
        "±0.05 mm, ~5",
        "pins -10- and +10+",
        "a_b_c *",
    ] {
        let converted = convert(text);
        assert_eq!(converted.text, text);
        assert!(converted.removed.is_empty(), "{text}");
    }
}

#[test]
fn spans_are_converted() {
    for (wiki, markdown) in [
        ("*bold*, _italic_, -gone-, ??cited??", "**bold**, *italic*, ~~gone~~, *cited*"),
        ("*bold _and italic_*", "**bold *and italic***"),
        ("(*bold*)", "(**bold**)"),
        ("H{~}2{~}O, m{^}2{^}, x ^2^ ~n~", "H₂O, m², x ² ₙ"),
        ("w{*}or{*}d", "w**or**d"),
        ("{{a_b *c*}} and {{x`y}}", "`a_b *c*` and ``x`y``"),
        ("+under+ {color:#ff0000}red{color} ^up^", "under red up"),
        ("\\*not bold\\* \\{code}", "\\*not bold\\* {code}"),
        ("one\\\\\ntwo", "one\\\ntwo"),
        ("one\\\\ two", "one\\\ntwo"),
        ("one\ntwo", "one\\\ntwo"),
        ("one -- two --- three", "one – two — three"),
        ("[Guide|https://example.com/a_b]", "[Guide](https://example.com/a_b)"),
        ("[https://example.com]", "<https://example.com>"),
        ("[https://example.com/a|https://example.com/a|smart-link]", "<https://example.com/a>"),
        ("[Text|https://example.com/a|smart-card]", "[Text](https://example.com/a)"),
        ("[Text|https://example.com/a|a \"tip\"]", "[Text](https://example.com/a \"a \\\"tip\\\"\")"),
        ("[a [b|https://example.com/(x)]", "[a \\[b](<https://example.com/(x)>)"),
        ("see https://example.com/a_b-c~d, or", "see <https://example.com/a_b-c~d>, or"),
        ("(https://example.com/x)", "(<https://example.com/x>)"),
        ("[mail|mailto:ada@example.com]", "[mail](mailto:ada@example.com)"),
        ("[x|javascript:alert(1)]", "[x|javascript:alert(1)]"),
        ("[^plan v2.pdf] !a.png|thumbnail!", "[plan v2.pdf](<plan v2.pdf>) ![a.png](a.png)"),
        ("!https://example.com/b.png|width=300,alt=\"B\"!", "![B](https://example.com/b.png)"),
        ("[~accountid:5b10a2844c20165700ede21g] and [~grace]", "@Ada Example and @grace"),
        ("5*3 and 4*2", "5\\*3 and 4\\*2"),
        ("<b> & &amp;", "\\<b> & \\&amp;"),
    ] {
        assert_eq!(convert(wiki).text, markdown, "{wiki}");
    }
    let removed = convert(
        "+under+ {color:red}red{color} ^up^ {anchor:a} ~down~ !a.png|width=3!\n{panel:bgColor=#fff}a{panel}",
    )
    .removed;
    let expected =
        ["anchor", "color", "image attributes", "panel style", "subscript", "superscript", "underline"];
    assert_eq!(removed.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn blocks_are_converted() {
    for (wiki, markdown) in [
        ("h1. Title\nText\n----\nbq. Said", "# Title\n\nText\n\n---\n\n> Said"),
        ("* a\n** b\n*** c\n* d", "- a\n  - b\n    - c\n- d"),
        ("# one\n#* two\n#* three\n# four", "1. one\n   - two\n   - three\n2. four"),
        ("* a\n*# b\n*# c", "- a\n  1. b\n  2. c"),
        ("- a\n- b", "- a\n- b"),
        ("** deep", "- deep"),
        ("* a\nmore\n\nText", "- a\\\n  more\n\nText"),
        (
            "||A||B||\n|1|*2*|\n|[x|https://example.com]|a\nb|",
            "| A | B |\n| --- | --- |\n| 1 | **2** |\n| [x](https://example.com) | a b |",
        ),
        ("|1|2|\n||H|3|", "|  |  |\n| --- | --- |\n| 1 | 2 |\n| **H** | 3 |"),
        (
            "{code:java|title=A.java}\nint *a*; // +x+\n{code}\nend",
            "A.java\n\n```java\nint *a*; // +x+\n```\n\nend",
        ),
        ("{noformat}\n*a*\n```\n{noformat}", "````\n*a*\n```\n````"),
        ("see {code}x = {y}{code} there", "see\n\n```\nx = {y}\n```\n\nthere"),
        ("{quote}\n*a*\n* b\n{quote}", "> **a**\n>\n> - b"),
        ("{panel:title=Note|bgColor=#fff}\nText\n{panel}", "> **Note**\n>\n> Text"),
        ("# step\n{code}\nrun\n{code}\n# next", "1. step\n\n   ```\n   run\n   ```\n2. next"),
        ("{quote}open", "{quote}open"),
        ("{code}open *a*", "{code}open **a**"),
        ("# a\n\n# b", "1. a\n\n1. b"),
        ("{adf:display=block}\n{\"type\":\"rule\"}\n{adf}", ""),
        (
            concat!(
                r#"{adf}{"type":"doc","content":[{"type":"taskList","content":[{"type":"taskItem","#,
                r#""attrs":{"state":"DONE"},"content":[{"type":"text","text":"done"}]}]}]}{adf}"#
            ),
            "- [x] done",
        ),
        ("1. not a list of the wiki", "1\\. not a list of the wiki"),
        ("\r\n\r\n  a  \r\n", "a"),
    ] {
        assert_eq!(convert(wiki).text, markdown, "{wiki}");
    }
}
