package io.delayqueue.example.reminders;

import java.time.LocalDate;
import java.time.ZoneId;

record Reminder(String user, ZoneId zone, LocalDate day) {
}
