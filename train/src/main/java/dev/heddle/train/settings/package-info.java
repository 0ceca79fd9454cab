/** What a user says of training: values without behaviour, checked when they are made. */
@NullMarked
package dev.heddle.train.settings;

import org.jspecify.annotations.NullMarked;
