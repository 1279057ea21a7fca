//! JSON Pointers (RFC 6901).

/// Escapes a name as a segment: `/` becomes `~1`, `~` becomes `~0`.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Unescapes a segment.
pub fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// The names along a pointer.
pub(crate) fn segments(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(unescape)
}

/// Whether a place is this node or is below it.
pub fn is_at_or_below(pointer: &str, node: &str) -> bool {
    pointer
        .strip_prefix(node)
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_survives_a_round_trip_through_its_segment() {
        for name in ["", "a", "/a/{b}", "~", "~1", "a~/b"] {
            assert_eq!(unescape(&escape(name)), name);
        }
        let of_a_path = format!("/paths/{}/get", escape("/a/{b}"));
        assert_eq!(segments(&of_a_path).collect::<Vec<_>>(), ["paths", "/a/{b}", "get"]);
    }

    #[test]
    fn pointer_with_a_longer_name_is_not_below() {
        assert!(is_at_or_below("/a/b", "/a/b"));
        assert!(is_at_or_below("/a/b/c", "/a/b"));
        assert!(!is_at_or_below("/a/bc", "/a/b"));
        assert!(is_at_or_below("/a", ""));
    }
}
