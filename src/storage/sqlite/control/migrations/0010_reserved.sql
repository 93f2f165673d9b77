-- The number is reserved for another change.
SELECT 1;
