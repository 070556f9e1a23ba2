//! Answers in the forms of real servers: what is read, and what counts as whole.

use std::time::Duration;

use bytes::Bytes;
use domain::work::conversation::MessagePart;
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};

use super::answer::{AnswerStream, ModelProtocol};
use super::events::Events;
use super::words::Secrets;
use super::{Models, Question};

const OPENAI: ModelProtocol = ModelProtocol::Openai;
const ANTHROPIC: ModelProtocol = ModelProtocol::Anthropic;

/// An answer as a line: text, calls and tokens, or its failure behind the text before it.
fn read(protocol: ModelProtocol, body: &str) -> String {
    let bytes = stream::iter([Ok(Bytes::from(body.to_owned()))]).boxed();
    let secrets = Secrets::new(["server-secret"], []);
    let mut stream = AnswerStream::of(protocol, Events::new(bytes), secrets, Duration::from_secs(60));
    let reading = async {
        let mut said = String::new();
        loop {
            match stream.next().await {
                Ok(Some(text)) => said.push_str(&text),
                Ok(None) => break,
                Err(error) => return format!("{said}|{error}"),
            }
        }
        let answer = match stream.answer() {
            Ok(answer) => answer,
            Err(error) => return format!("{said}|{error}"),
        };
        let part = |part: MessagePart| match part {
            MessagePart::Text { text } => text,
            MessagePart::ToolCall { call_id, name, params } => {
                match answer.unusable.iter().find(|unusable| unusable.call_id == call_id) {
                    Some(unusable) => format!("{name}!{}", unusable.reason),
                    None => format!("{name}({})", Value::Object(params)),
                }
            }
            MessagePart::ToolResult { .. } => "a result".to_owned(),
        };
        answer.parts.into_iter().map(part).collect::<Vec<_>>().join(" + ")
    };
    finished(reading)
}

/// Runs what needs a clock, but no time.
fn finished<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(work)
}

/// The stream of these events.
fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A stream of chat completions with a text and this last choice.
fn ending(last: &Value) -> String {
    let said = json!({ "choices": [{ "delta": { "content": "Half a" } }] });
    events(&[said, json!({ "choices": [last] })]) + "data: [DONE]\n\n"
}

/// A stream of chat completions with these pieces of calls, each in a chunk of its own.
fn calls(pieces: &[Value]) -> String {
    chunks(&pieces.iter().map(|piece| json!([piece])).collect::<Vec<_>>())
}

/// A stream of chat completions with these lists of pieces of calls.
fn chunks(lists: &[Value]) -> String {
    let mut said: Vec<Value> =
        lists.iter().map(|list| json!({ "choices": [{ "delta": { "tool_calls": list } }] })).collect();
    said.push(json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }));
    events(&said) + "data: [DONE]\n\n"
}

fn whole(name: &str, arguments: &str) -> Value {
    json!({ "function": { "name": name, "arguments": arguments } })
}

/// A piece of a call; an empty part is left out.
fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
    let mut function = json!({ "arguments": arguments });
    if !name.is_empty() {
        function["name"] = json!(name);
    }
    let mut call = json!({ "function": function });
    if let Some(index) = index {
        call["index"] = json!(index);
    }
    if !id.is_empty() {
        call["id"] = json!(id);
    }
    call
}

#[test]
fn an_answer_is_whole_only_if_its_server_says_so() {
    let done = |reason: Value| ending(&json!({ "delta": {}, "finish_reason": reason }));
    for reason in ["stop", "STOP", "eos", "end_turn"] {
        assert_eq!(read(OPENAI, &done(json!(reason))), "Half a", "{reason}");
    }
    // Without the last line, or with a choice after the end.
    assert_eq!(read(OPENAI, done(json!("stop")).trim_end_matches("data: [DONE]\n\n")), "Half a");
    let usage =
        json!({ "choices": [{ "delta": {}, "finish_reason": null }], "usage": { "prompt_tokens": 1.0 } });
    let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let said = json!({ "choices": [{ "delta": { "content": "All." }, "finish_reason": "" }] });
    assert_eq!(read(OPENAI, &events(&[said, last, usage])), "All.");
    for (reason, failure) in [
        ("length", "The model's answer was cut by its server (`length`); its beginning is kept."),
        ("MAX_TOKENS", "The model's answer was cut by its server (`max_tokens`); its beginning is kept."),
        ("content_filter", "The model's server ended the answer as not complete: content_filter"),
        ("error", "The model's server ended the answer as not complete: error"),
        ("abort", "The model's server ended the answer as not complete: abort"),
        (
            "function_call_filter: MALFORMED_FUNCTION_CALL",
            "The model's server ended the answer as not complete: function_call_filter: malformed_function_call",
        ),
        ("tool_calls", "The model's server announced a call of a tool and sent none."),
    ] {
        assert_eq!(read(OPENAI, &done(json!(reason))), format!("Half a|{failure}"));
    }
    for cut in [done(Value::Null), ending(&json!({ "delta": {} })).replace("data: [DONE]", ""), String::new()]
    {
        assert!(read(OPENAI, &cut).ends_with("|The model's answer broke off before its end."), "{cut}");
    }
    let refusal = json!({ "delta": { "content": null, "refusal": "I can't." }, "finish_reason": "stop" });
    assert_eq!(read(OPENAI, &ending(&refusal)), "Half a|The model refused to answer: I can't.");
}

#[test]
fn errors_within_an_answer_fail_it_in_the_servers_own_words() {
    let said = events(&[json!({ "choices": [{ "delta": { "content": "Half a" } }] })]);
    let reported = |words: &str| format!("Half a|The model's server reported an error: {words}");
    for (error, words) in [
        ("data: {\"error\": {\"message\": \"Overloaded\", \"code\": 529}}\n\n", "Overloaded (529)"),
        ("data: {\"error\": \"key server-secret is\\nwrong\"}\n\ndata: [DONE]\n\n", "key [masked] is wrong"),
        ("error: {\"code\": 500, \"message\": \"no slot\"}\n\n", "no slot (500)"),
        ("event: error\ndata: the worker died\n\n", "the worker died"),
        ("data: {\"object\": \"error\", \"message\": \"too long\"}\n\n", "too long"),
        (
            "data: {\"choices\": [{\"delta\": {}, \"error\": {\"message\": \"gone\"}, \"finish_reason\": \"error\"}]}\n\n",
            "gone",
        ),
    ] {
        assert_eq!(read(OPENAI, &format!("{said}{error}")), reported(words), "{error}");
    }
    let failed = |words: &str| format!("|The model's server reported an error: {words}");
    assert_eq!(read(OPENAI, "[{\"error\": {\"code\": 400, \"message\": \"bad\"}}]"), failed("bad (400)"));
    assert_eq!(
        read(OPENAI, "<html><title>Sign in</title></html>"),
        "|The model's server sent a page: Sign in"
    );
    let overloaded =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    assert_eq!(read(ANTHROPIC, &events(&[overloaded])), failed("Overloaded (overloaded_error)"));
}

#[test]
fn side_fields_of_every_form_cost_no_answer() {
    for delta in [
        r#"{"content": "A gear."}"#,
        r#"{"content": "A gear.", "tool_calls": null, "refusal": null, "reasoning": {"a": []}, "audio": 5}"#,
        r#"{"content": [{"type": "text", "text": "A "}, {"type": "thinking", "thinking": []}, {"type": "text", "text": "gear."}]}"#,
        r#"{"content": {"type": "output_text", "text": "A gear."}, "role": null, "tool_calls": []}"#,
    ] {
        let body = format!(
            "\u{feff}: OPENROUTER PROCESSING\r\n\r\nid: 7\r\nx: y\r\ndata: {{\"choices\": [], \"prompt_filter_results\": []}}\r\n\r\n\
             data: {{\"created\": 1.5, \"error\": null, \"choices\": [{{\"delta\": {delta}, \"index\": 0.0, \"logprobs\": \
             [-Infinity, NaN], \"finish_reason\": null}}], \"usage\": null}}\r\n\r\n\
             data: {{\"choices\": [{{\"finish_reason\": \"stop\"}}], \"usage\": {{\"prompt_tokens\": 5.0, \"completion_tokens\": null, \
             \"prompt_tokens_details\": []}}}}\r\n\r\ndata:\r\n\r\ndata: [DONE]\r\n\r\n"
        );
        assert_eq!(read(OPENAI, &body), "A gear.", "{delta}");
    }
    let halves = r#"{"choices": [{"delta": {"content": "\ud83d"}}]}"#;
    let body = format!("data: {halves}\n\ndata: {}\n\n", halves.replace("\\ud83d", "\\ude00"));
    assert_eq!(read(OPENAI, &(body + &ending(&json!({ "finish_reason": "stop" })))), "😀Half a");
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let call =
        json!({ "id": "a", "type": "function", "function": { "name": "see", "arguments": { "a": 1 } } });
    let message = json!({ "role": "assistant", "content": "Look.", "tool_calls": [call] });
    let body =
        |reason: Value| json!({ "choices": [{ "message": message, "finish_reason": reason }] }).to_string();
    assert_eq!(read(OPENAI, &body(json!("tool_calls"))), "Look. + see({\"a\":1})");
    assert_eq!(read(OPENAI, &body(Value::Null)), "Look. + see({\"a\":1})");
    let message = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use", "usage": { "input_tokens": 5 },
        "content": [{ "type": "text", "text": "Look." }, { "type": "tool_use", "id": "a", "name": "see", "input": { "a": 1 } }],
    });
    assert_eq!(read(ANTHROPIC, &format!("\n{message}")), "Look. + see({\"a\":1})");
    let cut =
        json!({ "choices": [{ "message": { "content": "Half a" }, "finish_reason": "length" }] }).to_string();
    assert!(read(OPENAI, &cut).contains("was cut"));
}

#[test]
fn parallel_calls_have_their_own_arguments_however_a_server_tells_them_apart() {
    let (see, go) = ("{\"a\":1}", "{\"b\":2}");
    let both = "see({\"a\":1}) + go({\"b\":2})";
    let (first, rest) = see.split_at(3);
    for (server, body) in [
        (
            "by number",
            calls(&[
                piece(Some(0), "x", "see", ""),
                piece(Some(1), "y", "go", ""),
                piece(Some(1), "", "", go),
                piece(Some(0), "", "", first),
                piece(Some(0), "", "", rest),
            ]),
        ),
        ("always number 0", calls(&[piece(Some(0), "x", "see", see), piece(Some(0), "y", "go", go)])),
        ("number 0 and no id", calls(&[piece(Some(0), "", "see", see), piece(Some(0), "", "go", go)])),
        ("one id", calls(&[piece(Some(0), "x", "see", see), piece(Some(1), "x", "go", go)])),
        (
            "neither",
            calls(&[piece(None, "", "see", ""), piece(None, "", "", see), piece(None, "", "go", go)]),
        ),
        ("several in one chunk", chunks(&[json!([whole("see", see), whole("go", go)])])),
        (
            "several of number 0 in one chunk",
            chunks(&[json!([piece(Some(0), "", "see", see), piece(Some(0), "", "go", go)])]),
        ),
        (
            "a new id in each chunk",
            calls(&[
                piece(Some(0), "r", "see", ""),
                piece(Some(0), "s", "", first),
                piece(Some(0), "t", "", rest),
                piece(Some(1), "u", "go", ""),
                piece(Some(1), "v", "", go),
            ]),
        ),
        (
            "a new id in each chunk and no number",
            calls(&[
                piece(None, "r", "see", ""),
                piece(None, "s", "", first),
                piece(None, "t", "", rest),
                piece(None, "u", "go", go),
            ]),
        ),
        (
            "name and id in each chunk",
            calls(&[
                piece(Some(0), "x", "see", first),
                piece(Some(0), "x", "see", rest),
                piece(Some(1), "y", "go", go),
            ]),
        ),
        (
            "a name in pieces",
            calls(&[
                piece(Some(0), "x", "s", ""),
                piece(Some(0), "", "ee", ""),
                piece(Some(0), "", "", see),
                piece(Some(1), "y", "go", go),
            ]),
        ),
        (
            "ids alone",
            calls(&[piece(None, "x", "see", first), piece(None, "y", "go", go), piece(None, "x", "", rest)]),
        ),
        (
            "empty arguments before the whole",
            calls(&[
                piece(Some(0), "x", "see", "{}"),
                piece(Some(0), "", "", see),
                piece(Some(1), "y", "go", go),
            ]),
        ),
        (
            "the call once more at its end",
            calls(&[
                piece(Some(0), "x", "see", see),
                piece(Some(0), "x", "see", see),
                piece(Some(1), "y", "go", go),
            ]),
        ),
        (
            "without a function's level",
            chunks(&[json!([{ "name": "see", "arguments": { "a": 1 } }]), json!(whole("go", go))]),
        ),
        (
            "numbers as text and floats",
            calls(&[
                json!({ "index": "0", "id": 5, "function": { "name": "see", "arguments": null } }),
                json!({ "index": 0.0, "id": null, "function": { "name": null, "arguments": see } }),
                json!({ "index": 1.0, "function": { "name": "go", "arguments": go } }),
            ]),
        ),
    ] {
        assert_eq!(read(OPENAI, &body), both, "{server}");
    }
    let twice = calls(&[piece(Some(0), "x", "see", see), piece(Some(0), "y", "see", see)]);
    assert_eq!(read(OPENAI, &twice), "see({\"a\":1}) + see({\"a\":1})");
    let without = calls(&[piece(Some(0), "x", "see", ""), piece(Some(0), "y", "see", "")]);
    assert_eq!(read(OPENAI, &without), "see({}) + see({})");
}

#[test]
fn arguments_that_are_no_object_are_told_to_the_model() {
    for (arguments, shown) in [
        ("", "see({})"),
        (" ", "see({})"),
        ("null", "see({})"),
        ("{\"a\":", "is while parsing"),
        ("\"{\\\"a\\\":1}\"", "another type"),
        ("[]", "another type"),
        ("5", "another type"),
        ("{\"a\":\"\\ud800\"}", "They begin: {\"a\":\"\\ud800\"}"),
        ("{\"a\":1}{\"b\":2}", "trailing"),
        ("{a:1}", "key must be a string"),
    ] {
        let said = read(OPENAI, &calls(&[piece(Some(0), "x", "see", arguments)]));
        let is_refused =
            said.starts_with("see!The tool was not called: its arguments are not one JSON object (");
        let shown = shown.trim_start_matches("is ");
        assert!(said.contains(shown) && is_refused != shown.starts_with("see"), "{arguments}: {said}");
    }
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    let said = read(OPENAI, &calls(&[piece(Some(0), "x", "see", &deep)]));
    assert!(said.contains("nested over"), "{said}");
    // Of an answer that was cut the last call is not made.
    let cut = calls(&[piece(Some(0), "x", "see", "{}"), piece(Some(1), "y", "go", "")])
        .replace("\"tool_calls\"}", "\"length\"}");
    assert_eq!(read(OPENAI, &cut), "see({}) + go!The tool was not called: the answer was cut (`length`).");
}

#[test]
fn messages_are_read_in_the_forms_of_their_servers() {
    let start = json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5 } } });
    let text = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Half a" } });
    let ended =
        |reason: Value| json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": null });
    let stop = json!({ "type": "message_stop" });
    let said = |reason: Value| {
        events(&[start.clone(), json!({ "type": "ping" }), text.clone(), ended(reason), stop.clone()])
    };
    assert_eq!(read(ANTHROPIC, &said(json!("end_turn"))), "Half a");
    assert_eq!(read(ANTHROPIC, &events(&[text.clone(), ended(json!("stop_sequence"))])), "Half a");
    for (reason, failure) in [
        (json!("max_tokens"), "was cut by its server (`max_tokens`)"),
        (json!("model_context_window_exceeded"), "was cut"),
        (json!("pause_turn"), "was cut"),
        (json!("refusal"), "not complete: refusal"),
        (json!("tool_use"), "sent none"),
        (Value::Null, "broke off"),
    ] {
        let said = read(ANTHROPIC, &said(reason));
        assert!(said.starts_with("Half a|") && said.contains(failure), "{said}");
    }
    assert!(read(ANTHROPIC, &events(&[start.clone(), text.clone()])).contains("broke off"));
    let block = |index: u64, name: &str, input: Value| {
        let content = json!({ "type": "tool_use", "id": "x", "name": name, "input": input });
        json!({ "type": "content_block_start", "index": index, "content_block": content })
    };
    let piece = |index: u64, json: &str| json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": json } });
    let used = |mut blocks: Vec<Value>| {
        blocks.extend([ended(json!("tool_use")), stop.clone()]);
        read(ANTHROPIC, &events(&blocks))
    };
    let both = "see({\"a\":1}) + go({\"b\":2})";
    // Arguments whole in the block, in pieces, as text, and in both places.
    assert_eq!(used(vec![block(0, "see", json!({ "a": 1 })), block(1, "go", json!("{\"b\":2}"))]), both);
    assert_eq!(
        used(vec![
            block(0, "see", json!({})),
            block(1, "go", json!(null)),
            piece(1, "{\"b\":2}"),
            piece(0, "{\"a\":"),
            piece(0, "1}")
        ]),
        both
    );
    assert_eq!(
        used(vec![
            block(0, "see", json!({ "a": 0 })),
            piece(0, "{\"a\":1}"),
            block(0, "go", json!({ "b": 2 }))
        ]),
        both
    );
    assert_eq!(used(vec![block(0, "see", json!({})), piece(0, "")]), "see({})");
    assert!(used(vec![block(0, "see", json!({})), piece(0, "{\"a\"")]).starts_with("see!"));
}

#[test]
fn tokens_are_counted_in_every_form() {
    let tokens = |protocol: ModelProtocol, body: &str| {
        let bytes = stream::iter([Ok(Bytes::from(body.to_owned()))]).boxed();
        let mut stream =
            AnswerStream::of(protocol, Events::new(bytes), Secrets::default(), Duration::from_secs(60));
        let reading = async { while let Ok(Some(_)) = stream.next().await {} };
        finished(reading);
        let tokens = stream.tokens();
        [tokens.prompt, tokens.completion, tokens.reasoning, tokens.cache_write, tokens.cache_read]
    };
    let usage = json!({
        "prompt_tokens": 12.0, "completion_tokens": "7", "prompt_tokens_details": { "cached_tokens": 2, "audio_tokens": null },
        "completion_tokens_details": { "reasoning_tokens": 3 },
    });
    assert_eq!(tokens(OPENAI, &events(&[json!({ "choices": [], "usage": usage })])), [10, 4, 3, 0, 2]);
    let within = json!({ "choices": [{ "delta": {}, "usage": { "prompt_tokens": 5, "completion_tokens": null } }], "usage": null });
    assert_eq!(tokens(OPENAI, &events(&[within])), [5, 0, 0, 0, 0]);
    let usage = json!({ "output_tokens": 9, "output_tokens_details": { "thinking_tokens": 4 }, "cache_read_input_tokens": null });
    let told = [
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5, "output_tokens": 1, "cache_creation_input_tokens": 2 } } }),
        json!({ "type": "message_delta", "delta": {}, "usage": usage }),
    ];
    assert_eq!(tokens(ANTHROPIC, &events(&told)), [5, 5, 4, 2, 0]);
}

#[test]
fn a_request_bounds_the_answer_as_the_models_file_says() {
    let body = |protocol: &str, more: Value| {
        let mut model = json!({
            "name": "chat", "provider": "local", "protocol": protocol, "baseUrl": "http://127.0.0.1/v1", "model": "m",
        });
        model.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let file = json!({ "models": [model] }).to_string();
        let models = Models::parse(&file, Duration::from_secs(1)).unwrap();
        let question = Question { instructions: "Do.", messages: &[], tools: &[], most_tokens: None };
        let mut body = models.find(None).unwrap().body(&question);
        for own in ["model", "messages", "system", "stream", "tools"] {
            body.remove(own);
        }
        Value::Object(body)
    };
    let options = json!({ "include_usage": true });
    assert_eq!(
        body("openai", json!({})),
        json!({ "max_completion_tokens": 8192, "stream_options": options })
    );
    let older = json!({ "outputLimitField": "max_tokens", "maxOutputTokens": 100 });
    assert_eq!(body("openai", older), json!({ "max_tokens": 100, "stream_options": options }));
    let extra =
        json!({ "outputLimitField": "none", "extraFields": { "stream_options": null, "temperature": 0.5 } });
    assert_eq!(body("openai", extra), json!({ "temperature": 0.5 }));
    assert_eq!(
        body("anthropic", json!({ "extraFields": { "top_k": 5 } })),
        json!({ "max_tokens": 8192, "top_k": 5 })
    );
}
