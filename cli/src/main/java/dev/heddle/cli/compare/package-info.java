/**
 * Settings side by side on one graph: variants are trained in turns, each in a process of its own,
 * and what their folders say is put into tables and onto a page.
 */
@NullMarked
package dev.heddle.cli.compare;

import org.jspecify.annotations.NullMarked;
