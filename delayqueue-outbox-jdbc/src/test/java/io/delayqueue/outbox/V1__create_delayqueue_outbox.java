package io.delayqueue.outbox;

import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.flywaydb.core.api.migration.Context;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.stereotype.Component;

@Component
class V1__create_delayqueue_outbox extends BaseJavaMigration {

	@Override
	public void migrate(Context context) {
		ScriptUtils.executeSqlScript(context.getConnection(),
				new ClassPathResource("io/delayqueue/outbox/schema-postgresql.sql"));
	}

}
