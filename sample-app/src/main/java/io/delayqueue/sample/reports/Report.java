package io.delayqueue.sample.reports;

/**
 * The payload of a delayed message: a player's behaviour in a game.
 *
 * @param game the game
 * @param behaviour the behaviour
 */
record Report(String game, String behaviour) {

}
