package io.delayqueue.sample.reports;

/**
 * The message: something happened in a game.
 *
 * @param game where it happened
 * @param behaviour what happened
 */
record Report(String game, String behaviour) {

}
