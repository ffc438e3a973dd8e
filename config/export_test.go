package config

// ChartValues returns the user's values of every chart, by their key.
func (c *Config) ChartValues() map[string]Values {
	all := map[string]Values{}
	for _, row := range charts {
		if row.values != "" {
			all[row.values] = row.userValues(c)
		}
	}
	return all
}
