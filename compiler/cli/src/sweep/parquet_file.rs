//! Rows as a Parquet file: a column per size, without compression, which the column encodings make up for.

use crate::stats::row::{Check, Row, SIZES, names};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::Result;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// Text in a column, and a number in a column that may lack it.
fn column(name: &str, text: bool, optional: bool) -> Result<Arc<Type>> {
    let physical = if text { Physical::BYTE_ARRAY } else { Physical::DOUBLE };
    let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let column = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    Ok(Arc::new(column.with_logical_type(text.then_some(LogicalType::String)).build()?))
}

fn schema() -> Result<Type> {
    let mut columns = vec![column("file", true, false)?, column("pipeline", true, false)?];
    for name in names() {
        columns.push(column(name, false, true)?);
    }
    columns.push(column("check", true, true)?);
    Type::group_type_builder("row").with_fields(columns).build()
}

/// The file.
///
/// # Errors
/// The message of the writer.
pub fn bytes(rows: &[Row]) -> std::result::Result<Vec<u8>, String> {
    write(rows).map_err(|e| e.to_string())
}

fn write(rows: &[Row]) -> Result<Vec<u8>> {
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema()?), Arc::default())?;
    let mut group = writer.next_row_group()?;
    let mut index = 0;
    while let Some(mut column) = group.next_column()? {
        let size = |row: &Row| row.sizes[index - 2];
        let text = |row: &Row| -> Option<ByteArray> {
            match index {
                0 => Some(row.file.as_str().into()),
                1 => Some(row.pipeline.as_str().into()),
                _ => row.check.map(|check| Check::name(check).into()),
            }
        };
        // Values that are there, and for each row whether it has one.
        if (2..2 + SIZES).contains(&index) {
            let values: Vec<f64> = rows.iter().filter_map(size).collect();
            let there: Vec<i16> = rows.iter().map(|row| size(row).is_some().into()).collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&there), None)?;
        } else {
            let values: Vec<ByteArray> = rows.iter().filter_map(text).collect();
            let there: Vec<i16> = rows.iter().map(|row| text(row).is_some().into()).collect();
            let there = (index > 1).then_some(there.as_slice());
            column.typed::<ByteArrayType>().write_batch(&values, there, None)?;
        }
        column.close()?;
        index += 1;
    }
    group.close()?;
    writer.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_check::Outcome;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn rows_read_back() {
        let mut first =
            Row { check: Some(Check::Ran(Outcome::Same)), ..Row::empty("a.frag".into(), "dce, cse") };
        first.sizes[0] = Some(7.0);
        let refused = Row { check: Some(Check::Refused), ..Row::empty("b.frag".into(), "dce, cse") };
        let path = std::env::temp_dir().join(format!("airfoil-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes(&[first, refused]).unwrap()).unwrap();
        let file = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = file.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        std::fs::remove_file(path).unwrap();
        assert!(
            rows.len() == 2 && rows[0].contains("instrs: 7") && rows[0].contains("\"dce, cse\""),
            "{rows:?}"
        );
        assert!(rows[1].contains("lanes: null") && rows[1].contains("check: \"refused\""), "{rows:?}");
    }
}
