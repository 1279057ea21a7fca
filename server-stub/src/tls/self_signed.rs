//! A generated certificate, with its own authority.

use chrono::{DateTime, Datelike, Days, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::TlsError;

/// Systems accept server certificates for 398 days at most.
const DAYS: u64 = 365;

pub(super) struct Made {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: PrivateKeyDer<'static>,
    /// The certificate of the authority, as PEM.
    pub(super) authority: String,
}

pub(super) fn make(names: Vec<String>) -> Result<Made, TlsError> {
    made(names).map_err(|error| TlsError::Names(error.into()))
}

fn made(names: Vec<String>) -> Result<Made, rcgen::Error> {
    let mut authority = CertificateParams::default();
    let name = &mut authority.distinguished_name;
    name.push(DnType::CommonName, "platform-server-stub authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    limit(&mut authority);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

    let mut certificate = CertificateParams::new(names)?;
    let name = &mut certificate.distinguished_name;
    name.push(DnType::CommonName, "platform-server-stub");
    certificate.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    certificate.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    certificate.use_authority_key_identifier_extension = true;
    limit(&mut certificate);
    let key = KeyPair::generate()?;
    let certificate = certificate.signed_by(&key, &authority)?;
    Ok(Made {
        certificate: certificate.der().clone(),
        key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        authority: authority.pem(),
    })
}

/// Valid from yesterday, because clocks differ.
fn limit(certificate: &mut CertificateParams) {
    let day = |date: DateTime<Utc>| {
        let month = u8::try_from(date.month()).unwrap_or(1);
        let day = u8::try_from(date.day()).unwrap_or(1);
        date_time_ymd(date.year(), month, day)
    };
    let now = Utc::now();
    certificate.not_before = day(now - Days::new(1));
    certificate.not_after = day(now + Days::new(DAYS));
}
