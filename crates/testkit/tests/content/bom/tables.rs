//! Bills as files for spreadsheets.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;

use crate::bom::support::with_machine;

#[tokio::test]
async fn a_bill_is_a_table_whose_formulas_are_text() {
    let (project, ids) = with_machine().await;
    let data = json!({ "partNumber": "=HYPERLINK(\"x\")", "mass": -0.5 });
    project.patch(&format!("objects/{}", ids[7]), json!({ "data": data })).await.expect(200);
    let answer = project.get("bom?format=csv&properties=partNumber,mass").await.expect(200);
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    let named = answer.header("content-disposition");
    assert!(named.starts_with("attachment; filename=\"gear") && named.ends_with("-bom.csv\""), "{named}");
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert_snapshot!(text.replace("\r\n", "\n"), @r#"
    level,name,type,id,version,quantity,totalQuantity,unit,objectCount,packageCommit,available,partNumber,mass
    0,machine,Assembly,machine,,1,1,,1,,,,
    1,pair,Assembly,pair,,2,2,,2,,,,
    2,bolt,Part,bolt,,2,4,,4,,,,
    1,bolt,Part,bolt,,1,1,,1,,,"'=HYPERLINK(""x"")",-0.5
    "#);
}

#[tokio::test]
async fn a_bill_is_a_workbook() {
    let (project, _) = with_machine().await;
    let answer = project.get("bom?format=xlsx").await.expect(200);
    let media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    assert_eq!(answer.header("content-type"), media_type);
    assert!(answer.header("content-disposition").ends_with("-bom.xlsx\""));
    assert!(answer.body.starts_with(b"PK"));
}
