/**
 * The page that shows runs: what their folders hold, read when it is asked for, and served on
 * loopback. Nothing here knows how runs are made.
 */
@NullMarked
package dev.heddle.cli.ui;

import org.jspecify.annotations.NullMarked;
