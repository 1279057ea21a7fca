//! Enums that may gain values. A value that this version of the SDK does not know is kept and sent back
//! unchanged. It never makes a response unreadable.

use std::fmt;

use crate::text::one_line;

/// A value that this version of the SDK does not know, held by an `Unknown` variant.
///
/// Only reading or converting text creates one, so it never holds a known value.
///
/// ```
/// use platform_sdk::FundingStage;
///
/// let stage = FundingStage::from("series_k");
/// let FundingStage::Unknown(value) = &stage else { panic!("{stage} is known") };
/// assert_eq!(value.as_str(), "series_k");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(pub(crate) Box<str>);

impl UnknownValue {
    /// Returns the value unchanged.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Error for text that is not a value known to this version of the SDK.
///
/// ```
/// let error = platform_sdk::SyncStatus::parse_known("done").unwrap_err();
/// assert_eq!(error.to_string(), "unknown value `done`; known are success, pending, error");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotKnown {
    text: String,
    known: &'static [&'static str],
}

impl NotKnown {
    pub(crate) fn new(text: &str, known: &'static [&'static str]) -> Self {
        Self {
            text: one_line(text, 100).unwrap_or_default(),
            known,
        }
    }
}

impl fmt::Display for NotKnown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown value `{}`; known are {}", self.text, self.known.join(", "))
    }
}

impl std::error::Error for NotKnown {}

macro_rules! open_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        ///
        /// ```
        #[doc = concat!("use platform_sdk::", stringify!($name), ";")]
        ///
        #[doc = concat!("for known in ", stringify!($name), "::KNOWN {")]
        #[doc = concat!("    assert_eq!(", stringify!($name), "::from(known.as_str()), *known);")]
        /// }
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$variant_doc])*
                #[doc = concat!("(`", $text, "`)")]
                $variant,
            )+
            /// A value that this version of the SDK does not know.
            Unknown($crate::types::open_enums::UnknownValue),
        }

        impl $name {
            /// The values known to this version, in the order of the contract.
            pub const KNOWN: &[Self] = &[$(Self::$variant),+];

            /// Parses a known value and fails on any other, for input in which a typo must not pass, such as
            /// command-line arguments. [`From`] accepts any text.
            ///
            /// ```
            #[doc = concat!("use platform_sdk::", stringify!($name), ";")]
            ///
            #[doc = concat!("let known = ", stringify!($name), "::KNOWN[0].as_str();")]
            #[doc = concat!("assert!(", stringify!($name), "::parse_known(known).is_ok());")]
            #[doc = concat!("assert!(", stringify!($name), "::parse_known(\"sereis_a\").is_err());")]
            /// ```
            ///
            /// # Errors
            /// The value is not known; the error lists the known values.
            pub fn parse_known(text: &str) -> Result<Self, $crate::types::open_enums::NotKnown> {
                match Self::from(text) {
                    Self::Unknown(_) => Err($crate::types::open_enums::NotKnown::new(text, &[$($text),+])),
                    known => Ok(known),
                }
            }

            /// Returns the value as it is sent.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(value) => value.as_str(),
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    unknown => Self::Unknown($crate::types::open_enums::UnknownValue(unknown.into())),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                match text.as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown($crate::types::open_enums::UnknownValue(text.into())),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::types::unknown::Scan for $name {
            fn scan(&self, at: &$crate::types::unknown::At<'_>) {
                if let Self::Unknown(value) = self {
                    at.unknown_value(stringify!($name), value.as_str().into());
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;

                // A page has thousands of these, so known values are read without a copy.
                impl ::serde::de::Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E>(self, text: &str) -> Result<$name, E> {
                        Ok(text.into())
                    }
                }

                deserializer.deserialize_str(Text)
            }
        }
    };
}

pub(crate) use open_enum;

open_enum! {
    /// Type of a pipeline item.
    ///
    /// ```
    /// use platform_sdk::EntityType;
    ///
    /// assert_eq!(EntityType::from("person"), EntityType::Person);
    /// let later: EntityType = serde_json::from_str(r#""vehicle""#)?;
    /// assert!(matches!(later, EntityType::Unknown(_)));
    /// assert_eq!(later.as_str(), "vehicle");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    EntityType {
        /// An organization.
        Organization = "organization",
        /// A person.
        Person = "person",
        /// A submitted document.
        Document = "document",
    }
}

open_enum! {
    /// Progress of a pipeline question for one item. `Pending` changes to one of the other values, which are
    /// final.
    ExecutionStatus {
        /// Not answered yet.
        Pending = "pending",
        /// Answered.
        Completed = "completed",
        /// No answer was found.
        NoAnswer = "no_answer",
        /// The question could not be processed.
        Failed = "failed",
        /// The question was not asked of this item.
        Skipped = "skipped",
    }
}

open_enum! {
    /// Status of the last synchronization of a value with the CRM.
    SyncStatus {
        /// The CRM has the value.
        Success = "success",
        /// The synchronization is pending.
        Pending = "pending",
        /// The CRM rejected the value; `sync_error` has the reason.
        Error = "error",
    }
}

open_enum! {
    /// Source of a value.
    ValueCategory {
        /// Entity data of the platform.
        PlatformData = "platform_data",
        /// A language model.
        Llm = "llm",
        /// A language model that browsed the web.
        LlmWebbrowsing = "llm_webbrowsing",
        /// A language model that examined images.
        LlmVisualEngine = "llm_visual_engine",
        /// A formula over other values.
        Formula = "formula",
    }
}

open_enum! {
    /// Stage of a funding round. In a request, the list is closed: an unknown stage gets a 422 response.
    FundingStage {
        /// Before the seed round.
        PreSeed = "pre_seed",
        /// Seed round.
        Seed = "seed",
        /// Angel round.
        Angel = "angel",
        /// Series A.
        SeriesA = "series_a",
        /// Series B.
        SeriesB = "series_b",
        /// Series C.
        SeriesC = "series_c",
        /// Series D.
        SeriesD = "series_d",
        /// Series E.
        SeriesE = "series_e",
        /// Series F.
        SeriesF = "series_f",
        /// Series G.
        SeriesG = "series_g",
        /// Series H.
        SeriesH = "series_h",
        /// Series I.
        SeriesI = "series_i",
        /// Series J.
        SeriesJ = "series_j",
        /// A series round whose letter is not known.
        SeriesUnknown = "series_unknown",
        /// Private equity.
        PrivateEquity = "private_equity",
        /// Convertible note.
        ConvertibleNote = "convertible_note",
        /// Debt financing.
        DebtFinancing = "debt_financing",
        /// Grant.
        Grant = "grant",
        /// Corporate round.
        CorporateRound = "corporate_round",
        /// Equity crowdfunding.
        EquityCrowdfunding = "equity_crowdfunding",
        /// Sale of existing shares.
        SecondaryMarket = "secondary_market",
        /// Assistance without equity.
        NonEquityAssistance = "non_equity_assistance",
        /// Equity after going public.
        PostIpoEquity = "post_ipo_equity",
        /// Debt after going public.
        PostIpoDebt = "post_ipo_debt",
        /// An undisclosed stage.
        Undisclosed = "undisclosed",
    }
}
