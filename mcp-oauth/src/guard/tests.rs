use std::net::IpAddr;

use proptest::prelude::*;
use url::Url;

use super::{Reach, check_openable, shown};

const ALL: [Reach; 3] = [Reach::Public, Reach::Loopback, Reach::Private];

/// Which of public, loopback and private reach allow the address, as `+--`.
fn allowed(address: &str) -> String {
    let address: IpAddr = address.parse().unwrap();
    ALL.iter().map(|reach| if reach.allows(address) { '+' } else { '-' }).collect()
}

#[test]
fn addresses() {
    for (address, expected) in [
        ("93.184.215.14", "+++"),
        ("2606:2800:21f:cb07::1", "+++"),
        ("127.0.0.1", "-+-"),
        ("127.8.8.8", "-+-"),
        ("::1", "-+-"),
        ("::ffff:127.0.0.1", "-+-"),
        ("10.1.2.3", "--+"),
        ("172.16.0.1", "--+"),
        ("172.32.0.1", "+++"),
        ("192.168.1.1", "--+"),
        ("100.64.0.1", "--+"),
        ("fd00::1", "--+"),
        ("::ffff:10.0.0.1", "--+"),
        ("64:ff9b::a00:1", "--+"),
        ("2002:a00:1::1", "--+"),
        ("64:ff9b::5db8:d70e", "+++"),
        ("169.254.169.254", "---"),
        ("::ffff:169.254.169.254", "---"),
        ("64:ff9b::a9fe:a9fe", "---"),
        ("fe80::1", "---"),
        ("0.0.0.0", "---"),
        ("::", "---"),
        ("224.0.0.1", "---"),
        ("255.255.255.255", "---"),
        ("192.0.2.1", "---"),
        ("2001::1", "---"),
        ("2001:db8::1", "---"),
        ("ff02::1", "---"),
    ] {
        assert_eq!(allowed(address), expected, "{address}");
    }
}

#[test]
fn urls() {
    for (url, expected) in [
        ("https://as.example.com/token", "+++"),
        ("http://as.example.com/token", "---"),
        ("http://localhost:4010/token", "-+-"),
        ("https://localhost:4010/token", "-+-"),
        ("http://sub.localhost./token", "-+-"),
        ("http://127.0.0.1:4010/token", "-+-"),
        ("http://[::1]:4010/token", "-+-"),
        ("https://[::1]/token", "-+-"),
        ("https://10.0.0.1/token", "--+"),
        ("http://10.0.0.1/token", "---"),
        ("https://169.254.169.254/latest", "---"),
        ("https://2130706433/", "-+-"),
        ("https://0x7f.1/", "-+-"),
        ("https://user@as.example.com/", "---"),
        ("https://:p@as.example.com/", "---"),
        ("ftp://as.example.com/", "---"),
        ("file:///etc/passwd", "---"),
        ("data:text/plain,x", "---"),
    ] {
        let parsed = Url::parse(url).unwrap();
        let checked: String = ALL.iter().map(|reach| if reach.check(&parsed).is_ok() { '+' } else { '-' }).collect();
        assert_eq!(checked, expected, "{url}");
    }
}

#[test]
fn a_server_may_refer_to_where_it_is_itself() {
    for (server, expected) in [
        ("http://localhost:1/mcp", Reach::Loopback),
        ("http://127.0.0.1:1/mcp", Reach::Loopback),
        ("https://mcp.example.com/mcp", Reach::Public),
        ("https://localhost.example.com/mcp", Reach::Public),
        ("https://10.0.0.1/mcp", Reach::Private),
        ("https://[fd00::1]/mcp", Reach::Private),
        ("https://169.254.169.254/mcp", Reach::Public),
    ] {
        assert_eq!(Reach::of(&Url::parse(server).unwrap()), expected, "{server}");
    }
}

#[test]
fn an_error_shows_no_part_that_may_be_secret() {
    let url = Url::parse("https://canary:canary@h:8443/p?code=canary#canary").unwrap();
    assert_eq!(shown(&url), "https://h:8443/p");
    assert_eq!(shown(&Url::parse("data:text/plain,canary").unwrap()), "data:…");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mapped_address_is_judged_as_the_address_it_carries(bits in any::<u32>()) {
        let inner = std::net::Ipv4Addr::from(bits);
        for reach in ALL {
            prop_assert_eq!(reach.allows(IpAddr::V4(inner)), reach.allows(IpAddr::V6(inner.to_ipv6_mapped())));
        }
    }

    #[test]
    fn link_local_is_never_reached(low in any::<u16>()) {
        let address = std::net::Ipv4Addr::from(0xa9fe_0000 | u32::from(low));
        prop_assert!(ALL.iter().all(|reach| !reach.allows(IpAddr::V4(address))));
    }
}

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
