/**
 * What a run will take and send, known before it takes anything: {@link
 * dev.heddle.train.plan.StrategyPlan} is the numbers, and there is a planner for each way of
 * splitting the work. Runs read their sizes from it; there is no second model of them.
 */
@NullMarked
package dev.heddle.train.plan;

import org.jspecify.annotations.NullMarked;
