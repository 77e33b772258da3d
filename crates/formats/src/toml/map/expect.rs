//! `[expect]`.

use super::super::document::Node;
use super::super::keys;
use super::super::reader::{Reader, Table};
use huygens::scene::{
    BodyQuantity, Check, DriverQuantity, During, Expect, JointQuantity, LEDGER_ACCOUNTS, Named, Quantity,
    SpecPath, Take,
};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node) -> Expect {
    let path = SpecPath::top("expect");
    let Some(table) = reader.table(node, &path, keys::EXPECT) else {
        return Expect::default();
    };
    let mut expect = Expect { checks: read_checks(reader, &table), during: Vec::new() };
    let items = reader.items(&table, "during", "tables [[expect.during]]");
    for (i, item) in items.iter().enumerate() {
        expect.during.extend(read_during(reader, item, &path.key("during").index(i)));
    }
    expect
}

fn read_during<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<During> {
    let known = keys::EXPECT.iter().filter(|key| key.name != "during").chain(keys::DURING);
    let table = reader.table_of(node, path, &known.map(|key| key.name).collect::<Vec<_>>())?;
    let mut during = During {
        from: reader.get(&table, "from"),
        until: reader.get(&table, "until"),
        take: Take::Every,
        checks: read_checks(reader, &table),
    };
    reader.set_word(&table, "take", &mut during.take);
    Some(during)
}

fn read_checks<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (key, quantity) in Quantity::WHOLE {
        if let Some(band) = reader.get(table, key) {
            checks.push(Check { quantity: quantity.clone(), band });
        }
    }
    read_named(reader, table, "bodies", &mut checks, |name, field: BodyQuantity| Quantity::Body(name, field));
    read_ledger(reader, table, &mut checks);
    read_named(reader, table, "drivers", &mut checks, |name, field: DriverQuantity| {
        Quantity::Driver(name, field)
    });
    read_named(reader, table, "joints", &mut checks, |name, field: JointQuantity| {
        Quantity::Joint(name, field)
    });
    checks
}

fn read_ledger<'d>(reader: &mut Reader<'d>, table: &Table<'d>, checks: &mut Vec<Check>) {
    let Some(node) = reader.node(table, "ledger") else { return };
    let Some(table) = reader.table_of(node, &table.path.key("ledger"), LEDGER_ACCOUNTS) else { return };
    for account in LEDGER_ACCOUNTS {
        if let Some(band) = reader.get(&table, account) {
            checks.push(Check { quantity: Quantity::Ledger(account), band });
        }
    }
}

/// Bands of things with a name: `bodies.NAME.FIELD = [smallest, largest]`.
fn read_named<'d, F: Named>(
    reader: &mut Reader<'d>,
    table: &Table<'d>,
    key: &'static str,
    checks: &mut Vec<Check>,
    quantity: impl Fn(String, F) -> Quantity,
) {
    let Some(node) = reader.node(table, key) else { return };
    let Some(table) = reader.open(node, &table.path.key(key)) else { return };
    let fields: Vec<&str> = F::NAMES.iter().map(|(word, _)| *word).collect();
    for entry in table.entries {
        let path = table.path.name(&entry.key);
        let Some(inner) = reader.table_of(&entry.node, &path, &fields) else { continue };
        for (word, field) in F::NAMES {
            if let Some(band) = reader.get(&inner, word) {
                checks.push(Check { quantity: quantity(entry.key.clone(), *field), band });
            }
        }
    }
}
