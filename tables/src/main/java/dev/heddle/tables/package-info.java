/**
 * Tables: reading those people have into stores, and writing results as such. DuckDB reads, types,
 * joins and writes; it is opened when a table is first needed.
 */
@NullMarked
package dev.heddle.tables;

import org.jspecify.annotations.NullMarked;
