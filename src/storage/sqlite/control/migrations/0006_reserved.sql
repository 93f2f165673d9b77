-- Placeholder: this number belongs to another change, whose file replaces this one.
SELECT 1;
