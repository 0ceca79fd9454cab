/** The {@code heddle} command: one class per subcommand, and how results are shown. */
@NullMarked
package dev.heddle.cli;

import org.jspecify.annotations.NullMarked;
