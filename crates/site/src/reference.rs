//! The operations of both planes, as their documents list them.

use serde_json::Value;

use crate::highlight::escape;
use crate::markdown::slug;

/// The methods of a path in the order in which they are listed.
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

/// A plane and its document.
#[derive(Debug)]
pub(crate) struct PlaneReference<'a> {
    pub(crate) name: &'static str,
    /// Where its pages are.
    pub(crate) url: String,
    /// Where it serves its document.
    pub(crate) document_url: String,
    /// Its address, without a slash at the end.
    pub(crate) address: &'a str,
    pub(crate) introduction: &'a str,
    pub(crate) document: &'a Value,
    pub(crate) tags: Vec<Tag<'a>>,
}

/// A group of operations.
#[derive(Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) url: String,
    pub(crate) operations: Vec<OperationReference<'a>>,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct OperationReference<'a> {
    pub(crate) id: &'a str,
    pub(crate) summary: &'a str,
    /// In capitals.
    pub(crate) method: String,
    pub(crate) path: &'a str,
    pub(crate) url: String,
    /// Its entry in the document.
    pub(crate) value: &'a Value,
}

impl<'a> PlaneReference<'a> {
    /// The plane of a document, whose pages are below `/docs/{place}`.
    pub(crate) fn new(name: &'static str, place: &str, document: &'a Value) -> Self {
        let url = format!("/docs/{place}");
        let listed = document["tags"].as_array().into_iter().flatten();
        let tags = listed.map(|tag| {
            let name = text(tag, "name");
            let url = format!("{url}/{}", slug(name));
            let operations = operations(document, name, &url);
            Tag { name, text: text(tag, "description"), url, operations }
        });
        let tags: Vec<Tag<'a>> = tags.filter(|tag| !tag.operations.is_empty()).collect();
        let own = tags.iter().flat_map(|tag| &tag.operations).find(|operation| operation.id == "getOpenapi");
        let address = text(at(document, "/servers/0"), "url").trim_end_matches('/');
        Self {
            name,
            document_url: format!("{address}{}", own.map(|operation| operation.path).unwrap_or_default()),
            address,
            introduction: text(at(document, "/info"), "description"),
            document,
            tags,
            url,
        }
    }

    /// The anchor of the plane on the page of all operations.
    pub(crate) fn place(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// All operations of the plane.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &OperationReference<'a>> {
        self.tags.iter().flat_map(|tag| &tag.operations)
    }
}

impl Tag<'_> {
    /// True if the page at `url` is of this group.
    pub(crate) fn has(&self, url: &str) -> bool {
        url == self.url || self.operations.iter().any(|operation| operation.url == url)
    }
}

impl OperationReference<'_> {
    /// The path as HTML, which may be broken after each slash.
    pub(crate) fn breakable_path(&self) -> String {
        escape(self.path).replace('/', "/<wbr>")
    }

    /// The method in five letters at most.
    pub(crate) fn short_method(&self) -> &str {
        match self.method.as_str() {
            "DELETE" => "DEL",
            "OPTIONS" => "OPT",
            method => method,
        }
    }
}

/// The operations with a tag, by path.
fn operations<'a>(document: &'a Value, tag: &str, url: &str) -> Vec<OperationReference<'a>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let all = paths.flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| Some((path, method.to_uppercase(), item.get(method)?)))
    });
    let tagged = all.filter(|(_, _, value)| at(value, "/tags/0") == tag);
    let read = tagged.map(|(path, method, value)| {
        let id = text(value, "operationId");
        OperationReference {
            id,
            summary: text(value, "summary"),
            method,
            path,
            url: format!("{url}/{id}"),
            value,
        }
    });
    read.collect()
}

/// The value at a place in another; null by default.
pub(crate) fn at<'a>(value: &'a Value, place: &str) -> &'a Value {
    value.pointer(place).unwrap_or(&Value::Null)
}

/// The target of a reference; a value that is no reference is its own.
pub(crate) fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|place| document.pointer(place.strip_prefix('#')?));
    target.unwrap_or(value)
}

/// The example of a body or an answer, which stands at its type where that has a name; null without.
pub(crate) fn example_of<'a>(document: &'a Value, media: &'a Value) -> &'a Value {
    match &media["example"] {
        Value::Null => at(resolve(document, &media["schema"]), "/examples/0"),
        example => example,
    }
}

/// The text of a field; empty by default.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
