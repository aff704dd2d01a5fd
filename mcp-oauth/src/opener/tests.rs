use url::Url;

use super::{Opener, check_openable};

#[test]
fn only_pages_are_opened() {
    for (url, expected) in [
        ("https://as.example/authorize?x=%22%26calc", true),
        ("http://127.0.0.1:4010/auth", true),
        ("http://localhost:4010/auth", true),
        ("http://as.example/authorize", false),
        ("file:///etc/passwd", false),
        ("javascript:alert(1)", false),
        ("ms-calculator:", false),
        ("ftp://as.example/", false),
    ] {
        assert_eq!(check_openable(&Url::parse(url).unwrap()).is_ok(), expected, "{url}");
    }
}

#[tokio::test]
async fn a_program_of_the_current_folder_is_not_started() {
    let page = Url::parse("https://as.example/authorize").unwrap();
    for program in ["xdg-open", "./xdg-open", ""] {
        let error = Opener::new(program).open(&page).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.ends_with("is no absolute path"), "{program:?}: {cause}");
    }
}
