if (amount >= 0) pay(amount);
