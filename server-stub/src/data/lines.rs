//! Reads a data file of lines, several chunks in parallel. The memory needed beside the data does not grow with the
//! file.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use tracing::warn;

use super::check::{Seen, of_keys, of_organization, of_product};
use super::dataset::{Parts, Placed};
use super::fault::{DataError, Faults};
use super::line::{Described, End, FORMAT, Header, ItemLine, Line, VERSION};
use super::meaning::{Embedded, Meanings};
use super::read::read;
use super::stored::encoder_id;
use super::{Dataset, PipelineData, find_nul};
use crate::model::ids::PipelineId;
use crate::model::organization::Organization;
use crate::model::policy::ApiKey;
use crate::model::product::Product;
use crate::model::search::Meaning;
use crate::store::{CatalogueBuilder, Packed, ProductFacts};

/// Bytes that are handed to a thread at a time.
const CHUNK: u64 = 1 << 20;

/// Maximum number of bytes in a line.
const LINE_MAX: u64 = 64 << 20;

/// Chunks that may wait for each thread.
const WAITING: usize = 2;

/// Reads a file of lines and makes it ready for use.
pub(super) fn read_lines(mut input: impl BufRead + Send) -> Result<Dataset, DataError> {
    let header = read_header(&mut input)?;
    let theirs = header.encoder.as_deref();
    let vectors = match theirs {
        None => Vectors::NotExpected,
        Some(encoder) if encoder == encoder_id() => Vectors::Kept,
        Some(encoder) => {
            warn!("the stored vectors come from the encoder {encoder}; they are computed again");
            Vectors::MadeAgain
        }
    };
    let mut loading = Loading::default();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let (mut chunks, mut batches) = (Vec::new(), Vec::new());
        for _ in 0..threads {
            let (chunk, given) = sync_channel(WAITING);
            let (done, batch) = sync_channel(WAITING);
            scope.spawn(move || parse_all(&given, &done, vectors));
            chunks.push(chunk);
            batches.push(batch);
        }
        scope.spawn(move || cut_all(input, &chunks));
        // The threads take turns, so the batches come in the order of the file.
        for batch in batches.iter().cycle().map_while(|batches| batches.recv().ok()) {
            loading.take_all(batch);
        }
    });
    loading.finish(header.has_end)
}

/// What to do with stored vectors.
#[derive(Debug, Clone, Copy)]
enum Vectors {
    Kept,
    MadeAgain,
    NotExpected,
}

fn unreadable(place: &str, reason: impl Into<String>) -> DataError {
    let mut faults = Faults::default();
    faults.add(place.to_owned(), reason);
    DataError::Unreadable(faults)
}

fn read_header(input: &mut impl BufRead) -> Result<Header, DataError> {
    let mut line = Vec::new();
    let read_line = input.take(LINE_MAX).read_until(b'\n', &mut line);
    read_line.map_err(|error| unreadable("line 1", error.to_string()))?;
    let text = str::from_utf8(&line).map_err(|_| unreadable("line 1", NOT_UTF_8))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim();
    let expected = format!(r#"expected a header such as {{"format":"{FORMAT}","version":{VERSION}}}"#);
    // A later version may have fields that this one does not know.
    let version = serde_json::from_str::<serde_json::Value>(text).ok();
    let version = version.as_ref().filter(|it| it["format"] == FORMAT);
    let version = version.ok_or_else(|| unreadable("line 1", expected))?;
    if version["version"] != VERSION {
        let reason = format!(
            "version {} is not supported; this server reads {VERSION}",
            version["version"]
        );
        return Err(unreadable("line 1", reason));
    }
    read(text).map_err(|misread| {
        let mut faults = Faults::default();
        faults.add_within("line 1", misread.in_one_line());
        DataError::Unreadable(faults)
    })
}

pub(super) const NOT_UTF_8: &str = "not UTF-8; save the file as UTF-8";

/// Whole lines, or the reason why there are no more.
type Chunk = Result<Vec<u8>, String>;

/// Splits the lines of a file into chunks and hands one to each thread in turn.
fn cut_all(mut input: impl BufRead, chunks: &[SyncSender<Chunk>]) {
    for chunks in chunks.iter().cycle() {
        let chunk = cut(&mut input).map_err(|error| error.to_string());
        let is_last = chunk.as_ref().is_ok_and(Vec::is_empty);
        let has_failed = chunk.is_err();
        if is_last || chunks.send(chunk).is_err() || has_failed {
            break;
        }
    }
}

fn cut(input: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut chunk = Vec::with_capacity(CHUNK as usize + (CHUNK >> 4) as usize);
    input.take(CHUNK).read_to_end(&mut chunk)?;
    if chunk.len() as u64 == CHUNK && chunk.last() != Some(&b'\n') {
        let rest = input.take(LINE_MAX).read_until(b'\n', &mut chunk)?;
        if rest as u64 == LINE_MAX && chunk.last() != Some(&b'\n') {
            let reason = format!("a line has more than {LINE_MAX} bytes; write each record on a line of its own");
            return Err(std::io::Error::other(reason));
        }
    }
    Ok(chunk)
}

/// The lines of a chunk after reading.
struct Batch {
    lines: usize,
    /// The lines that are not blank, each with its number in the chunk.
    read: Vec<(usize, Result<Entry, Faults>)>,
}

/// A line that has been read and checked by itself.
enum Entry {
    Organization(Box<Packed<Organization>>, Meaning),
    Product(Box<Packed<Product>>, Meaning),
    Pipeline(Box<PipelineData>),
    Item(Box<ItemLine>),
    ApiKey(Box<ApiKey>),
    End(End),
}

fn parse_all(chunks: &Receiver<Chunk>, batches: &SyncSender<Batch>, vectors: Vectors) {
    while let Ok(chunk) = chunks.recv() {
        let batch = match chunk {
            Ok(bytes) => parse_chunk(&bytes, vectors),
            Err(reason) => Batch {
                lines: 1,
                read: vec![(0, Err(one_fault(reason)))],
            },
        };
        if batches.send(batch).is_err() {
            break;
        }
    }
}

fn one_fault(reason: impl Into<String>) -> Faults {
    let mut faults = Faults::default();
    faults.add(".".to_owned(), reason);
    faults
}

fn parse_chunk(mut bytes: &[u8], vectors: Vectors) -> Batch {
    let mut batch = Batch {
        lines: 0,
        read: Vec::new(),
    };
    while !bytes.is_empty() {
        let line = cut_line(&mut bytes);
        let number = batch.lines;
        batch.lines += 1;
        let read = match str::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => parse(text, vectors),
            Err(_) => Err(one_fault(NOT_UTF_8)),
        };
        batch.read.push((number, read));
    }
    batch
}

/// Cuts off the first line. `skip_until` finds its end several times as fast as a look at each byte.
fn cut_line<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let all = *bytes;
    // Reading from memory cannot fail.
    let length = bytes.skip_until(b'\n').unwrap_or(all.len());
    &all[..length]
}

fn parse(text: &str, vectors: Vectors) -> Result<Entry, Faults> {
    if find_nul(text).is_some() {
        return Err(one_fault("\\u0000 cannot be in a text"));
    }
    let line = read::<Line>(text).map_err(|misread| misread.in_one_line())?;
    let mut faults = Faults::default();
    let entry = match line {
        Line::Organization(line) => {
            of_organization(&mut faults, "organization.record", &line.record);
            let has_customers = line.record.customer_base.is_some();
            let meaning = meaning(&mut faults, "organization", &line, has_customers, vectors);
            let meaning = meaning.unwrap_or_else(|| Embedded.of_organization(&line.record));
            Entry::Organization(Box::new(Packed::new(line.record)), meaning)
        }
        Line::Product(line) => {
            of_product(&mut faults, "product.record", &line.record);
            let has_customers = line.record.customer_base.is_some();
            let meaning = meaning(&mut faults, "product", &line, has_customers, vectors);
            let meaning = meaning.unwrap_or_else(|| Embedded.of_product(&line.record));
            Entry::Product(Box::new(Packed::new(line.record)), meaning)
        }
        Line::Pipeline(pipeline) => Entry::Pipeline(Box::new(pipeline)),
        Line::Item(item) => Entry::Item(Box::new(item)),
        Line::ApiKey(key) => Entry::ApiKey(Box::new(key)),
        Line::End(end) => Entry::End(end),
    };
    if faults.count() > 0 {
        return Err(faults);
    }
    Ok(entry)
}

/// The stored meaning of a record; `None` if it has to be computed.
fn meaning<T>(
    faults: &mut Faults,
    place: &str,
    line: &Described<T>,
    has_customers: bool,
    vectors: Vectors,
) -> Option<Meaning> {
    let (offer, customers) = (line.offer.as_ref(), line.customers.as_ref());
    let mut require = |holds: bool, field: &str, reason: &str| {
        if !holds {
            faults.add(format!("{place}.{field}"), reason);
        }
    };
    let has_vectors = offer.is_some() || customers.is_some();
    let is_expected = !matches!(vectors, Vectors::NotExpected) || !has_vectors;
    require(
        is_expected,
        "offer",
        "the header does not name the encoder of the stored vectors",
    );
    if has_vectors {
        let reason = "must be present exactly when offer and record.customer_base are";
        let fits = offer.is_some() && customers.is_some() == has_customers;
        require(fits, "customers", reason);
    }
    match vectors {
        Vectors::Kept => Some(Meaning {
            offer: offer?.0.clone(),
            customers: customers.map(|vector| vector.0.clone()),
        }),
        Vectors::MadeAgain | Vectors::NotExpected => None,
    }
}

/// What has been read so far.
#[derive(Default)]
struct Loading {
    lines: usize,
    records: u64,
    builder: CatalogueBuilder,
    seen: Seen,
    kind: Kind,
    pipelines: BTreeMap<PipelineId, PipelineData>,
    items: Vec<(usize, ItemLine)>,
    keys: Vec<(usize, ApiKey)>,
    end: Option<End>,
    faults: Faults,
}

/// The kinds of records in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    #[default]
    Organization,
    Product,
    Pipeline,
    Item,
}

impl Loading {
    fn take_all(&mut self, batch: Batch) {
        for (number, entry) in batch.read {
            // Lines are counted from 1, and the first is the header.
            let number = self.lines + number + 2;
            if self.end.is_some() {
                self.faults.add(
                    format!("line {number}"),
                    "is after the end; the line `end` must be the last",
                );
            }
            match entry {
                Ok(entry) => {
                    let mut faults = Faults::default();
                    self.take(&mut faults, number, entry);
                    self.add_faults(number, faults);
                }
                Err(faults) => self.add_faults(number, faults),
            }
        }
        self.lines += batch.lines;
    }

    fn add_faults(&mut self, number: usize, faults: Faults) {
        if faults.count() > 0 {
            self.faults.add_within(&format!("line {number}"), faults);
        }
    }

    fn take(&mut self, faults: &mut Faults, number: usize, entry: Entry) {
        self.records += u64::from(!matches!(entry, Entry::End(_)));
        match entry {
            Entry::Organization(organization, meaning) => {
                self.enter(faults, Kind::Organization);
                let id = organization.facts().organization_id;
                self.seen.organization(faults, "organization.record", id);
                self.builder.add_organization(&organization, &meaning);
            }
            Entry::Product(product, meaning) => {
                self.enter(faults, Kind::Product);
                let ProductFacts {
                    product_id,
                    organization_id,
                    ..
                } = product.facts();
                self.seen
                    .product(faults, "product.record", *product_id, *organization_id);
                self.builder.add_product(&product, &meaning);
            }
            Entry::Pipeline(pipeline) => {
                self.enter(faults, Kind::Pipeline);
                self.seen.pipeline(faults, "pipeline", &pipeline);
                if !pipeline.items.is_empty() {
                    let reason = "must be empty; write each item on a line of its own";
                    faults.add("pipeline.items".to_owned(), reason);
                }
                self.pipelines.insert(pipeline.pipeline_id, *pipeline);
            }
            Entry::Item(item) => {
                self.enter(faults, Kind::Item);
                match self.pipelines.get(&item.pipeline_id) {
                    Some(pipeline) => self.seen.item(faults, "item.record", pipeline, &item.record),
                    None => faults.add(
                        "item.pipeline_id".to_owned(),
                        format!("there is no pipeline {} above this line", item.pipeline_id),
                    ),
                }
                self.items.push((number, *item));
            }
            Entry::ApiKey(key) => self.keys.push((number, *key)),
            Entry::End(end) => self.end = Some(end),
        }
    }

    /// Checks that the kinds of records come in order, so that each comes after what it refers to.
    fn enter(&mut self, faults: &mut Faults, kind: Kind) {
        if kind < self.kind {
            let reason = "organizations come first, then products, pipelines and items; sort the lines";
            faults.add(".".to_owned(), reason);
        }
        self.kind = self.kind.max(kind);
    }

    fn finish(mut self, has_end: bool) -> Result<Dataset, DataError> {
        let records = self.records;
        let last = || format!("line {}", self.lines + 1);
        match self.end {
            None if has_end => self.faults.add(
                last(),
                "the end of the file is missing: the file was truncated; get it again",
            ),
            Some(end) if end.records != records => self.faults.add(
                last(),
                format!(
                    "{} records were written, but {records} are present; get the file again",
                    end.records
                ),
            ),
            _ => {}
        }
        let (numbers, keys): (Vec<_>, Vec<_>) = self.keys.into_iter().unzip();
        of_keys(&mut self.faults, &keys, |index| {
            format!("line {}: api_key", numbers[index])
        });
        if self.faults.count() > 0 {
            return Err(DataError::Unreadable(self.faults));
        }
        let placed = |(number, item): &'_ (usize, ItemLine)| Placed {
            place: format!("line {number}: item.record"),
            pipeline_id: item.pipeline_id,
            item: item.record.clone(),
        };
        Dataset::of_parts(Parts {
            builder: self.builder,
            pipelines: self.pipelines.into_values().collect(),
            items: self.items.iter().map(placed).collect(),
            api_keys: (!keys.is_empty()).then_some(keys),
        })
    }
}
