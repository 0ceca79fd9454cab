/**
 * How the workers of a run talk: groups and their transports, exchanges of rows, collectives, and
 * counters of everything that travels.
 *
 * <p>Nothing here knows what a graph or a layer is. {@link dev.heddle.comm.Group} is the front
 * door; threads of one JVM and processes connected by sockets are two transports of it.
 */
@NullMarked
package dev.heddle.comm;

import org.jspecify.annotations.NullMarked;
