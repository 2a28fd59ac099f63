-- Tables of the orders in a database, for PostgreSQL and H2.

CREATE TABLE IF NOT EXISTS sample_orders (
  id        VARCHAR(200) PRIMARY KEY,
  position  BIGINT GENERATED ALWAYS AS IDENTITY,
  user_id   VARCHAR(200) NOT NULL,
  status    VARCHAR(9) NOT NULL,
  due_at    TIMESTAMP(3) WITH TIME ZONE NOT NULL,
  closed_at TIMESTAMP(3) WITH TIME ZONE,
  closed_by VARCHAR(7),
  flagged   BOOLEAN DEFAULT FALSE NOT NULL
);

CREATE INDEX IF NOT EXISTS sample_orders_position ON sample_orders (position);
CREATE INDEX IF NOT EXISTS sample_orders_user ON sample_orders (user_id, status, position);
CREATE INDEX IF NOT EXISTS sample_orders_status ON sample_orders (status, position);
CREATE INDEX IF NOT EXISTS sample_orders_closed ON sample_orders (closed_at);

-- A transaction that places an order locks the row of its user.
CREATE TABLE IF NOT EXISTS sample_users (
  id VARCHAR(200) PRIMARY KEY
);
