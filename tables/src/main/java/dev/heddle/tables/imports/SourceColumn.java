package dev.heddle.tables.imports;

/**
 * A column of a source.
 *
 * @param name as the source has it
 * @param sql what it is called in queries
 */
record SourceColumn(String name, ColumnType type, String sql) {}
